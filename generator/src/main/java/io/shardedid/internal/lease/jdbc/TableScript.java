package io.shardedid.internal.lease.jdbc;

/**
 * The script of a table in the schema of the lease table, and what messages say of the
 * table. Immutable and thread-safe.
 *
 * @param what what the table is, for messages
 * @param table the name of the table in its scripts, without a schema
 * @param path the resource of the scripts, without the database: {@code a/b} for
 * {@code a/b-h2.sql}
 * @param jar the jar of the scripts, for messages
 * @param inJar a class of that jar
 * @param rights the rights that a process needs, as GRANT lists them
 * @apiNote The type is public for integrations such as {@code shardedid-shards}.
 * @since 0.1
 */
public record TableScript(String what, String table, String path, String jar, Class<?> inJar, String rights) {
}
