package io.shardedid.compatibility;

import java.util.Comparator;
import java.util.Locale;

/**
 * A mapping, an operation or a rule that the page has a line for: one test method, with
 * all its parameters.
 *
 * @param testClass simple name of the test class
 * @param method name of the method, without parameters
 */
record Row(String testClass, String method) implements Comparable<Row> {

    private static final String TESTS = "io.shardedid.hibernate.";

    private static final Comparator<Row> ORDER = Comparator.comparing(Row::testClass).thenComparing(Row::method);

    /** The row of a test case of a report. */
    static Row of(String className, String caseName) {
        return new Row(className.substring(TESTS.length()), caseName.replaceFirst("[^\\w$].*", ""));
    }

    static boolean isAbout(String className) {
        return className.startsWith(TESTS);
    }

    /** The method in words: {@code mergesANewEntity} is "merges a new entity". */
    String words() {
        return words(this.method);
    }

    /** The class in words: {@code ShardKeyFormsTest} is "Shard key forms". */
    static String title(String testClass) {
        String words = words(testClass.replaceFirst("Test(?=$|\\$)", ""));
        return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }

    private static String words(String name) {
        StringBuilder words = new StringBuilder();
        for (String word : name.split("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|\\$")) {
            boolean acronym = word.length() > 1 && word.equals(word.toUpperCase(Locale.ROOT));
            words.append(words.isEmpty() ? "" : " ").append(acronym ? word : word.toLowerCase(Locale.ROOT));
        }
        return words.toString();
    }

    @Override
    public int compareTo(Row other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return this.testClass + "." + this.method;
    }

}
