package io.shardedid.spring.forms;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A web application whose ids have several forms. */
@SpringBootApplication
public class FormsApplication {

}
