package io.shardedid.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The arrows between the modules, as the poms have them and as the page draws them. */
class ModulesTest {

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(shardedid-[\\w-]+)</artifactId>");

    private static final Pattern DEPENDENCY = Pattern.compile("(?s)<dependency>(.*?)</dependency>");

    private static final Pattern ARROW = Pattern.compile("(?m)^ +([\\w-]+)(?:\\[.*?])? --> ([\\w-]+)$");

    @Test
    void modulesUseOnlyWhatIsDrawn() throws IOException {
        assertThat(arrows()).isEqualTo(drawn());
    }

    /** Without those of tests. */
    private static Set<String> arrows() throws IOException {
        Map<String, String> folders = folders();
        Set<String> arrows = new TreeSet<>();
        for (String folder : folders.values()) {
            String dependencies = Files.readString(Pages.ROOT.resolve(folder).resolve("pom.xml"))
                .replaceAll("(?s)<(dependencyManagement|build|profiles)>.*?</\\1>", "");
            DEPENDENCY.matcher(dependencies)
                .results()
                .map((dependency) -> dependency.group(1))
                .filter((dependency) -> !dependency.contains("<scope>test</scope>"))
                .flatMap((dependency) -> ARTIFACT.matcher(dependency).results())
                .map((artifact) -> folders.get(artifact.group(1)))
                .forEach((used) -> arrows.add(name(folder) + " -> " + name(used)));
        }
        return arrows;
    }

    /** The folder of each artifact that is built, without the bill of materials. */
    private static Map<String, String> folders() throws IOException {
        Map<String, String> folders = new TreeMap<>();
        String root = Files.readString(Pages.ROOT.resolve("pom.xml")).replaceAll("(?s)<profiles>.*</profiles>", "");
        for (String folder : MODULE.matcher(root).results().map((module) -> module.group(1)).toList()) {
            String pom = Files.readString(Pages.ROOT.resolve(folder).resolve("pom.xml"))
                .replaceAll("(?s)<(parent|dependencies|dependencyManagement|build)>.*?</\\1>", "");
            ARTIFACT.matcher(pom).results().forEach((artifact) -> folders.put(artifact.group(1), folder));
        }
        folders.remove("shardedid-bom");
        return folders;
    }

    private static Set<String> drawn() throws IOException {
        String page = Files.readString(Pages.ROOT.resolve("docs/architecture.md"));
        String modules = page.substring(page.indexOf("## Modules"), page.indexOf("## Packages"));
        return ARROW.matcher(modules)
            .results()
            .map((arrow) -> arrow.group(1) + " -> " + arrow.group(2))
            .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String name(String folder) {
        return folder.substring(folder.lastIndexOf('/') + 1);
    }

}
