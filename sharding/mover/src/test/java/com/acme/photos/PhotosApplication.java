package com.acme.photos;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application whose shards move. */
@SpringBootApplication
public class PhotosApplication {

}
