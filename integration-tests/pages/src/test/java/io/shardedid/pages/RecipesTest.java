package io.shardedid.pages;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.shardedid.IdLayout;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIds;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.tck.OldNamespace;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application starts with each recipe of keys that README.md and docs/*.md give: with
 * each block of properties, and with the settings that one sentence names. A page says in
 * a comment before a recipe why the recipe is not run:
 * {@code <!-- not run, because it needs … -->}.
 */
@Tag("proof")
class RecipesTest {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^([^\\n]*)\\n\\s*```properties\\n(.*?)^\\s*```");

    private static final Pattern FENCED = Pattern.compile("(?ms)^\\s*```.*?^\\s*```[^\\n]*$");

    /**
     * Paragraphs, items of lists and rows of tables end sentences, as do full stops and
     * colons.
     */
    private static final Pattern SENTENCE_END = Pattern.compile("\\n\\s*\\n|\\n\\s*(?=[-*|]|\\d+\\. )|[.:;]\\**\\s");

    private static final Pattern SETTING = Pattern.compile("`((shardedid\\.)?[a-z][a-z-]*(?:\\.[a-z-]+)*=[^`\\s|]+)`");

    private static final Pattern REASON = Pattern.compile("<!-- not run, because [^.:;>]{10,} -->");

    /** Keys that the starter leaves to a module, whose own tests start with them. */
    private static final Pattern OF_A_MODULE = Pattern
        .compile("^shardedid\\.(routing|databases)\\.|^spring\\.datasource\\.url=jdbc:shardingsphere:");

    /** Who sets {@code never} has run the script of the jar. */
    private static final String SCRIPT = ";INIT=RUNSCRIPT FROM 'classpath:io/shardedid/lease-table-h2.sql'";

    static List<Recipe> recipes() {
        List<Recipe> recipes = new ArrayList<>();
        for (Path page : Pages.current()) {
            recipes.addAll(recipesOf(page));
        }
        Set<List<String>> seen = new HashSet<>();
        return recipes.stream()
            .filter((recipe) -> recipe.settings.stream().noneMatch(OF_A_MODULE.asPredicate()))
            .filter((recipe) -> seen.add(recipe.settings))
            .toList();
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void applicationStartsWithEachRecipe(Recipe recipe) {
        boolean migrated = recipe.settings.contains("shardedid.worker.lease.initialize-schema=never");
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        if (recipe.settings.contains("shardedid.worker.lease.tolerate-lost-commits=true")) {
            // in a new namespace, it would wait for a minute
            OldNamespace.make(ShardedIdSettings
                .from(Map.of("shardedid.worker.lease.url", url, "shardedid.worker.lease.username", "sa"))
                .leaseTable(), IdLayout.standard(), 2000);
        }
        new WebApplicationContextRunner().withUserConfiguration(Application.class)
            .withPropertyValues("spring.datasource.url=" + url + (migrated ? SCRIPT : ""),
                    "shardedid.worker.lease.promoted-clock-behind=0s", "shardedid.clock.max-ahead=100ms",
                    "management.health.readinessstate.enabled=true")
            .withPropertyValues(recipe.settings.toArray(String[]::new))
            .run((context) -> assertThat(context).hasNotFailed().hasSingleBean(ShardedIds.class));
    }

    /** The failover recipe of the README is the one that did not start. */
    @Test
    void readsThePagesThemselves() {
        assertThat(recipes()).extracting(Recipe::settings)
            .contains(List.of("shardedid.worker.lease.tolerate-lost-commits=true", "shardedid.worker.lease.window=10s"),
                    List.of("shardedid.worker.lease.initialize-schema=always"));
    }

    private static List<Recipe> recipesOf(Path page) {
        return recipesOf(page.getFileName().toString(), Pages.text(page));
    }

    private static List<Recipe> recipesOf(String page, String text) {
        List<Recipe> recipes = new ArrayList<>();
        BLOCK.matcher(text)
            .results()
            .filter((block) -> isRun(page, block.group(1)))
            .forEach((block) -> recipes.add(new Recipe(page,
                    block.group(2)
                        .lines()
                        .map(String::strip)
                        .filter((line) -> !line.isEmpty() && !line.startsWith("#"))
                        .toList())));
        for (String sentence : SENTENCE_END.split(FENCED.matcher(text).replaceAll(""))) {
            List<String> settings = settings(sentence);
            if (!settings.isEmpty() && isRun(page, sentence)) {
                recipes.add(new Recipe(page, settings));
            }
        }
        return recipes;
    }

    /** What follows a whole key may leave out what both begin with. */
    private static List<String> settings(String sentence) {
        List<String> settings = new ArrayList<>();
        String prefix = null;
        for (MatchResult setting : SETTING.matcher(sentence).results().toList()) {
            String text = setting.group(1);
            if (setting.group(2) != null) {
                String key = text.substring(0, text.indexOf('='));
                prefix = key.substring(0, key.lastIndexOf('.') + 1);
                settings.add(text);
            }
            else if (prefix != null) {
                settings.add(prefix + text);
            }
        }
        return settings;
    }

    private static boolean isRun(String page, String before) {
        if (!before.contains("<!-- not run")) {
            return true;
        }
        if (!REASON.matcher(before).find()) {
            throw new IllegalStateException("Comment of %s has no reason: comment='%s'".formatted(page, before));
        }
        return false;
    }

    record Recipe(String page, List<String> settings) {
    }

    @SpringBootApplication
    static class Application {

    }

    @Entity
    static class Photo {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        Long userId;

    }

}
