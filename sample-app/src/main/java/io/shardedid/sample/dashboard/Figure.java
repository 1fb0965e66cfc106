package io.shardedid.sample.dashboard;

/**
 * A meter of the actuator as the dashboard shows it.
 *
 * @param meter the name under {@code /actuator/metrics}, with a tag if it has one
 * @param name what it is called here
 * @param meaning what it shows
 * @param value the value now, as the page shows it
 */
record Figure(String meter, String name, String meaning, String value) {
}
