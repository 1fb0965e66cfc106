package io.shardedid.spring.gallery;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The web application of the tests. */
@SpringBootApplication
public class GalleryApplication {

}
