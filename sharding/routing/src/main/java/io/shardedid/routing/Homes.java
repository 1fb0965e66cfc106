package io.shardedid.routing;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

import io.shardedid.shards.ShardMap;
import org.jspecify.annotations.Nullable;

/** Where shards are. */
interface Homes {

    /** All shards are in one database. */
    Homes ONE_DATABASE = new Homes() {
    };

    /** Returns whether there are several databases. */
    default boolean several() {
        return false;
    }

    /** Returns the database of a shard, by the map as it is now. */
    default String databaseOf(int shard) {
        return home();
    }

    /** Returns the map as it is now, where there are several databases. */
    default @Nullable ShardMap mapOfSeveral() {
        return null;
    }

    /** Returns the names of the databases. */
    default List<String> names() {
        return List.of(home());
    }

    /** Returns the database that everything goes to which no shard has. */
    default String home() {
        return "home";
    }

    /** Returns what asks databases side by side, by a task for each of them. */
    default Consumer<Collection<? extends Runnable>> sideBySide() {
        return (tasks) -> tasks.forEach(Runnable::run);
    }

    /** Returns whether the shards of a database have a fence around them. */
    default boolean fenced(String database) {
        return false;
    }

    /** Returns whether each transaction enters its shard. */
    default boolean entersAlways() {
        return false;
    }

    /** Reads the map again. If that fails, the keeper of the map goes on trying. */
    default void refresh() {
    }

    /** Returns the database of statements without a shard, or null if none has. */
    default @Nullable String whileStarting() {
        return home();
    }

}
