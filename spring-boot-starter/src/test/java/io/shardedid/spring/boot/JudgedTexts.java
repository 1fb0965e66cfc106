package io.shardedid.spring.boot;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;

/**
 * The methods that judge an exception by its text, where a type or a field says it. A
 * text is followed through variables, parameters and results.
 */
final class JudgedTexts extends TreePathScanner<Void, Void> {

    private static final Set<String> TEXTS = Set.of("getMessage", "getLocalizedMessage", "getOriginalMessage");

    private static final Set<String> KEEP = Set.of("valueOf", "toString", "requireNonNull", "requireNonNullElse");

    private static final Set<String> JUDGES = Set.of("startsWith", "endsWith", "contains", "equals", "equalsIgnoreCase",
            "contentEquals", "matches", "matcher", "indexOf", "lastIndexOf", "regionMatches", "compareTo", "split",
            "containsKey", "asMatchPredicate");

    private final Trees trees;

    private final JavacTask task;

    private final TypeMirror throwable;

    /** Variables, parameters and methods that hold or return the text of an exception. */
    private final Set<Element> texts = new HashSet<>();

    private final Set<String> found = new TreeSet<>();

    private JudgedTexts(JavacTask task) {
        this.task = task;
        this.trees = Trees.instance(task);
        this.throwable = task.getElements().getTypeElement("java.lang.Throwable").asType();
    }

    static Set<String> in(JavacTask task, List<CompilationUnitTree> units) {
        JudgedTexts judged = new JudgedTexts(task);
        int known;
        do {
            known = judged.texts.size();
            units.forEach((unit) -> judged.scan(unit, null));
        }
        while (judged.texts.size() > known);
        return judged.found;
    }

    @Override
    public Void visitVariable(VariableTree variable, Void nothing) {
        note(variable.getInitializer(), element(variable));
        return super.visitVariable(variable, nothing);
    }

    @Override
    public Void visitAssignment(AssignmentTree assignment, Void nothing) {
        note(assignment.getExpression(), element(assignment.getVariable()));
        return super.visitAssignment(assignment, nothing);
    }

    @Override
    public Void visitReturn(ReturnTree result, Void nothing) {
        for (TreePath path = getCurrentPath(); path != null
                && !(path.getLeaf() instanceof LambdaExpressionTree); path = path.getParentPath()) {
            if (path.getLeaf() instanceof MethodTree method) {
                note(result.getExpression(), element(method));
                break;
            }
        }
        return super.visitReturn(result, nothing);
    }

    @Override
    public Void visitNewClass(NewClassTree call, Void nothing) {
        hand(call, call.getArguments());
        return super.visitNewClass(call, nothing);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
        hand(call, call.getArguments());
        if (JUDGES.contains(name(call)) && !isReplaced()
                && (isText(receiver(call)) || call.getArguments().stream().anyMatch(this::isText))) {
            this.found.add(place());
        }
        return super.visitMethodInvocation(call, nothing);
    }

    /** What is replaced in a text decides nothing. */
    private boolean isReplaced() {
        TreePath around = getCurrentPath().getParentPath().getParentPath();
        return around != null && around.getLeaf() instanceof MethodInvocationTree call
                && name(call).startsWith("replace") && receiver(call) == getCurrentPath().getLeaf();
    }

    private void hand(Tree call, List<? extends ExpressionTree> arguments) {
        if (element(call) instanceof ExecutableElement method && !method.getParameters().isEmpty()) {
            int last = method.getParameters().size() - 1;
            for (int i = 0; i < arguments.size(); i++) {
                note(arguments.get(i), method.getParameters().get(Math.min(i, last)));
            }
        }
    }

    private void note(Tree value, Element holder) {
        if (holder != null && isText(value)) {
            this.texts.add(holder);
        }
    }

    private boolean isText(Tree value) {
        if (value instanceof ParenthesizedTree inner) {
            return isText(inner.getExpression());
        }
        if (value instanceof ConditionalExpressionTree either) {
            return isText(either.getTrueExpression()) || isText(either.getFalseExpression());
        }
        if (value instanceof BinaryTree sum && sum.getKind() == Tree.Kind.PLUS) {
            return isText(sum.getLeftOperand()) || isText(sum.getRightOperand());
        }
        if (value instanceof LambdaExpressionTree lambda) {
            return isText(lambda.getBody());
        }
        if (value instanceof MemberReferenceTree reference) {
            return TEXTS.contains(reference.getName().toString());
        }
        if (value instanceof MethodInvocationTree call) {
            TypeMirror type = type(call);
            if (type != null && type.getKind().isPrimitive()) {
                return false;
            }
            return TEXTS.contains(name(call)) && isThrowable(receiver(call)) || this.texts.contains(element(call))
                    || isText(receiver(call))
                    || call.getArguments()
                        .stream()
                        .anyMatch((each) -> (KEEP.contains(name(call)) || each instanceof LambdaExpressionTree
                                || each instanceof MemberReferenceTree) && isText(each));
        }
        return value != null && this.texts.contains(element(value));
    }

    /** A type that is not on the class path may be an exception. */
    private boolean isThrowable(Tree value) {
        TypeMirror type = (value != null) ? type(value) : null;
        return type == null || type.getKind() == TypeKind.ERROR
                || this.task.getTypes().isSubtype(this.task.getTypes().erasure(type), this.throwable);
    }

    private static String name(MethodInvocationTree call) {
        return (call.getMethodSelect() instanceof MemberSelectTree select) ? select.getIdentifier().toString()
                : call.getMethodSelect().toString();
    }

    private static Tree receiver(MethodInvocationTree call) {
        return (call.getMethodSelect() instanceof MemberSelectTree select) ? select.getExpression() : null;
    }

    private Element element(Tree tree) {
        return this.trees.getElement(new TreePath(getCurrentPath(), tree));
    }

    private TypeMirror type(Tree tree) {
        return this.trees.getTypeMirror(new TreePath(getCurrentPath(), tree));
    }

    private String place() {
        String type = "";
        String method = "";
        for (TreePath path = getCurrentPath(); path != null && type.isEmpty(); path = path.getParentPath()) {
            if (path.getLeaf() instanceof MethodTree each) {
                method = "." + each.getName();
            }
            else if (path.getLeaf() instanceof ClassTree each) {
                type = each.getSimpleName().toString();
            }
        }
        return type + method;
    }

}
