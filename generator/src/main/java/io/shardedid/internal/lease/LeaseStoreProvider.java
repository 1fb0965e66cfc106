package io.shardedid.internal.lease;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Opens the store that {@code shardedid.worker.lease.store} names. A module that brings a
 * store declares its provider in {@code META-INF/services}; it has a public constructor
 * without parameters.
 *
 * @since 0.1
 */
public interface LeaseStoreProvider {

    /**
     * Returns the name of the store.
     * @return a word in small letters, such as {@code zookeeper}
     */
    String name();

    /**
     * Opens the store of a namespace.
     * @param place where the store is
     * @param namespace whose rows are read and written
     * @return the store, which connects when it is used first
     * @throws io.shardedid.ShardedIdConfigurationException if the place is not known or
     * not understood
     */
    LeaseStore open(Place place, String namespace);

    /**
     * Where a store is, as far as configuration and application know.
     *
     * @param url the value of {@code shardedid.worker.lease.url}, or null
     * @param username the value of {@code shardedid.worker.lease.username}, or null
     * @param password the value of {@code shardedid.worker.lease.password}, or null
     * @param clients clients and addresses of the application, of any type; they are used
     * when there is no URL, and not closed
     */
    record Place(@Nullable String url, @Nullable String username, @Nullable String password, List<Object> clients) {

        /**
         * Copies the list.
         * @param url the URL, or null
         * @param username the user, or null
         * @param password the password, or null
         * @param clients the clients of the application
         */
        public Place {
            clients = List.copyOf(clients);
        }

        /**
         * Returns what the application has of a type.
         * @param <T> the type
         * @param type the type
         * @return the first one, or empty
         */
        public <T> Optional<T> client(Class<T> type) {
            return this.clients.stream().filter(type::isInstance).map(type::cast).findFirst();
        }

        /** Without what is in the URL and the password. */
        @Override
        public String toString() {
            return "Place[clients=%s]".formatted(this.clients.size());
        }

    }

}
