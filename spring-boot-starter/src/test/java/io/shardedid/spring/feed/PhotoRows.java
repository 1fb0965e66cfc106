package io.shardedid.spring.feed;

import java.util.List;

import io.shardedid.jackson.JsonShardedId;

import org.springframework.data.repository.Repository;

/** Photos as projections. */
interface PhotoRows extends Repository<Photo, Long> {

    List<Row> findByCaption(String caption);

    List<MarkedRow> findMarkedByCaption(String caption);

    List<RecordRow> findRecordByCaption(String caption);

    interface Row {

        Long getId();

    }

    interface MarkedRow {

        @JsonShardedId
        Long getId();

        @JsonShardedId
        Long getAuthorId();

    }

    record RecordRow(@JsonShardedId long id, long authorId) {
    }

}
