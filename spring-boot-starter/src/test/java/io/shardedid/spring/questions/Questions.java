package io.shardedid.spring.questions;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application of the questions. */
@SpringBootApplication
class Questions {

}
