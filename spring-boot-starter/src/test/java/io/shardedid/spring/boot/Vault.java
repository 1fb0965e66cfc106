package io.shardedid.spring.boot;

/** A client of a vault, of which the page says that it is the application's. */
interface Vault {

    String user();

    String password();

}
