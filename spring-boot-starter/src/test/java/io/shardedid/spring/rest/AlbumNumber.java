package io.shardedid.spring.rest;

import org.springframework.data.rest.core.config.Projection;

/** Spring Data REST finds it in the package of its entity. */
@Projection(name = "number", types = Album.class)
public interface AlbumNumber {

    Long getId();

}
