package io.shardedid.spring.rest;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Import;
import org.springframework.data.rest.webmvc.config.RepositoryRestMvcConfiguration;

/** An application that exports its repositories. */
@SpringBootApplication
@Import(RepositoryRestMvcConfiguration.class)
public class RestApplication {

}
