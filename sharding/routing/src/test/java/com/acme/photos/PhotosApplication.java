package com.acme.photos;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.resilience.annotation.EnableResilientMethods;

/** An application of its own, so that its frames are no library's. */
@SpringBootApplication
@EnableResilientMethods
public class PhotosApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(PhotosApplication.class, arguments);
    }

}
