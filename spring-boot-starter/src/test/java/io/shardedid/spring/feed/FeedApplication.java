package io.shardedid.spring.feed;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application of the tests: authors and their photos. */
@SpringBootApplication
public class FeedApplication {

}
