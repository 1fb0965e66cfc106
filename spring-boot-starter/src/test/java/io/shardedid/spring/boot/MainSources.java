package io.shardedid.spring.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Types;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;

/**
 * The main sources of all modules but those that only prove, as the compiler reads them:
 * a text that goes over several lines is one text.
 */
final class MainSources {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /**
     * A text of a source.
     *
     * @param place file and line
     * @param text the text
     * @param callee the method that it is handed to itself; empty if there is none
     * @param made the simple name of the class whose constructor has the text in its
     * first argument; empty if there is none
     * @param remedied whether its second argument says what to do
     */
    record Text(String place, String text, String callee, String made, boolean remedied) {
    }

    /** What a public type says of itself and of its public members. */
    record Documentation(String place, String text) {
    }

    final List<Text> texts = new ArrayList<>();

    final List<Documentation> documentation = new ArrayList<>();

    /** Durations that become text by {@code toString}. */
    final List<String> printedDurations = new ArrayList<>();

    /**
     * What comes out otherwise in another language of the machine: numbers of a format,
     * numbers that a logger puts into its text, and methods that Java also offers with a
     * locale.
     */
    final List<String> ofTheMachine = new ArrayList<>();

    /** Methods that judge an exception by its text. */
    final Set<String> judgedTexts = new TreeSet<>();

    private MainSources() {
    }

    static MainSources read() {
        try {
            return read(sources());
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    static MainSources read(List<Path> sources) {
        MainSources read = new MainSources();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            // The class path lacks what other modules need, which leaves the types of
            // their texts and durations as they are.
            JavacTask task = (JavacTask) compiler.getTask(null, files, (ignored) -> {
            }, List.of("-proc:none", "-XDshould-stop.ifError=FLOW"), null, files.getJavaFileObjectsFromPaths(sources));
            List<CompilationUnitTree> units = new ArrayList<>();
            task.parse().forEach(units::add);
            task.analyze();
            units.forEach((unit) -> new Reader(read, task, unit).scan(unit, null));
            read.judgedTexts.addAll(JudgedTexts.in(task, units));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return read;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter((file) -> file.toString().endsWith(".java"))
                .filter((file) -> !file.endsWith("package-info.java"))
                .filter((file) -> ROOT.relativize(file).toString().matches("(?!proof/).*src/main/java/.*"))
                .toList();
        }
    }

    private static final class Reader extends TreePathScanner<Void, Void> {

        /** Methods that hand a value on as it is. */
        private static final Set<String> KEEP = Set.of("put", "equals", "get");

        /** What a format writes in the digits or letters of a language. */
        private static final Pattern OF_A_LANGUAGE = Pattern
            .compile("%(?:\\d+\\$|<)?[-#+0,(]*\\d*(?:\\.\\d+)?[deEfgGtTSBC]");

        /** Their text decides whether a language matters. */
        private static final Set<String> FORMATS = Set.of("format", "printf");

        private final MainSources read;

        private final Trees trees;

        private final Types types;

        private final TypeMirror number;

        private final CompilationUnitTree unit;

        Reader(MainSources read, JavacTask task, CompilationUnitTree unit) {
            this.read = read;
            this.trees = Trees.instance(task);
            this.types = task.getTypes();
            this.number = task.getElements().getTypeElement("java.lang.Number").asType();
            this.unit = unit;
        }

        @Override
        public Void visitLiteral(LiteralTree literal, Void nothing) {
            if (literal.getValue() instanceof String text) {
                NewClassTree made = made();
                this.read.texts.add(new Text(place(literal), text, callee(),
                        (made != null) ? made.getIdentifier().toString() : "", made != null && hasRemedy(made)));
                if (OF_A_LANGUAGE.matcher(text.replace("%%", "")).find() && !hasRootLocale()
                        && !callee().endsWith(".replace")) {
                    this.read.ofTheMachine.add(place(literal) + " " + text);
                }
            }
            return null;
        }

        @Override
        public Void visitClass(ClassTree type, Void nothing) {
            document(type);
            return super.visitClass(type, nothing);
        }

        @Override
        public Void visitMethod(MethodTree method, Void nothing) {
            document(method);
            return super.visitMethod(method, nothing);
        }

        @Override
        public Void visitVariable(VariableTree variable, Void nothing) {
            document(variable);
            return super.visitVariable(variable, nothing);
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
            noticeLanguage(call, call.getArguments());
            if (this.trees.getElement(getCurrentPath()) instanceof ExecutableElement method
                    && !KEEP.contains(method.getSimpleName().toString())) {
                int last = method.getParameters().size() - 1;
                for (int i = 0; i < call.getArguments().size() && last >= 0; i++) {
                    Element parameter = method.getParameters().get(Math.min(i, last));
                    if (parameter.asType().toString().startsWith("java.lang.Object")) {
                        notice(call.getArguments().get(i));
                    }
                }
            }
            return super.visitMethodInvocation(call, nothing);
        }

        @Override
        public Void visitBinary(BinaryTree operation, Void nothing) {
            if (operation.getKind() == Tree.Kind.PLUS) {
                notice(operation.getLeftOperand());
                notice(operation.getRightOperand());
            }
            return super.visitBinary(operation, nothing);
        }

        @Override
        public Void visitNewClass(NewClassTree call, Void nothing) {
            noticeLanguage(call, call.getArguments());
            return super.visitNewClass(call, nothing);
        }

        private void noticeLanguage(Tree call, List<? extends Tree> arguments) {
            if (!(this.trees.getElement(getCurrentPath()) instanceof ExecutableElement method)) {
                return;
            }
            boolean logged = method.getEnclosingElement().toString().equals("java.lang.System.Logger")
                    && arguments.stream().anyMatch(this::isNumber);
            boolean cased = method.getEnclosingElement().toString().startsWith("java.")
                    && !FORMATS.contains(method.getSimpleName().toString())
                    && method.getEnclosingElement()
                        .getEnclosedElements()
                        .stream()
                        .anyMatch((other) -> other.getSimpleName().equals(method.getSimpleName())
                                && other instanceof ExecutableElement
                                && takesLocaleToo((ExecutableElement) other, method));
            if (logged || cased) {
                this.read.ofTheMachine.add(place(call) + " " + call);
            }
        }

        /** Without its locale it is the other one. */
        private static boolean takesLocaleToo(ExecutableElement method, ExecutableElement other) {
            List<String> parameters = new ArrayList<>(parameters(method));
            return parameters.remove("java.util.Locale") && parameters.equals(parameters(other));
        }

        private static List<String> parameters(ExecutableElement method) {
            return method.getParameters().stream().map((parameter) -> parameter.asType().toString()).toList();
        }

        private boolean isNumber(Tree value) {
            TypeMirror type = this.trees.getTypeMirror(new TreePath(getCurrentPath(), value));
            return type != null && (type.getKind().isPrimitive() && type.getKind() != TypeKind.BOOLEAN
                    || type.getKind() == TypeKind.DECLARED && this.types.isSubtype(type, this.number));
        }

        /** The text is the format of a call that has {@code Locale.ROOT} before it. */
        private boolean hasRootLocale() {
            return getCurrentPath().getParentPath().getLeaf() instanceof MethodInvocationTree call
                    && call.getArguments().indexOf(getCurrentPath().getLeaf()) == 1
                    && call.getArguments().get(0).toString().equals("Locale.ROOT");
        }

        private void notice(Tree value) {
            if ("java.time.Duration"
                .equals(String.valueOf(this.trees.getTypeMirror(new TreePath(getCurrentPath(), value))))) {
                this.read.printedDurations.add(place(value) + " " + value);
            }
        }

        /** Public, and each type around it too. */
        private void document(Tree declared) {
            String text = this.trees.getDocComment(getCurrentPath());
            Element element = this.trees.getElement(getCurrentPath());
            if (text != null && element != null) {
                for (Element each = element; each.getEnclosingElement() != null; each = each.getEnclosingElement()) {
                    if ((each.getKind().isClass() || each.getKind().isInterface() || each == element)
                            && !each.getModifiers().contains(Modifier.PUBLIC)
                            && !each.getEnclosingElement().getKind().isInterface()) {
                        return;
                    }
                }
                this.read.documentation.add(new Documentation(place(declared), text));
            }
        }

        private String callee() {
            TreePath parent = getCurrentPath().getParentPath();
            return (parent.getLeaf() instanceof MethodInvocationTree call
                    && call.getArguments().contains(getCurrentPath().getLeaf())) ? call.getMethodSelect().toString()
                            : "";
        }

        /** The making of the object whose first argument has the text. */
        private NewClassTree made() {
            Tree child = getCurrentPath().getLeaf();
            for (TreePath path = getCurrentPath().getParentPath(); path != null; path = path.getParentPath()) {
                if (path.getLeaf() instanceof NewClassTree call && call.getArguments().contains(child)) {
                    return (call.getArguments().indexOf(child) == 0) ? call : null;
                }
                child = path.getLeaf();
            }
            return null;
        }

        private boolean hasRemedy(NewClassTree call) {
            return call.getArguments().size() > 1
                    && this.trees.getTypeMirror(new TreePath(getCurrentPath(), call.getArguments().get(1)))
                        .toString()
                        .equals("java.lang.String");
        }

        private String place(Tree tree) {
            long start = this.trees.getSourcePositions().getStartPosition(this.unit, tree);
            return ROOT.relativize(Path.of(this.unit.getSourceFile().toUri())) + ":"
                    + this.unit.getLineMap().getLineNumber(start);
        }

    }

}
