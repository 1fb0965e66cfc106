package com.acme.photos;

import java.util.Comparator;
import java.util.List;

import io.shardedid.routing.Shards;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.stereotype.Service;

/** Shows what can be reached. */
@Service
public class Newest {

    private static final Log LOG = LogFactory.getLog(Newest.class);

    private final Photos photos;

    private final Shards shards;

    public Newest(Photos photos, Shards shards) {
        this.photos = photos;
        this.shards = shards;
    }

    public List<Photo> photos() {
        return this.shards.merge(Comparator.comparing(Photo::getId).reversed(), 20,
                this.photos::findTop20ByOrderByIdDesc,
                (database, failure) -> LOG.warn("No photos of database " + database, failure));
    }

}
