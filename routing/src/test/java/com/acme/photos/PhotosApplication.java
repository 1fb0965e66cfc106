package com.acme.photos;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application of its own, so that its frames are no library's. */
@SpringBootApplication
public class PhotosApplication {

}
