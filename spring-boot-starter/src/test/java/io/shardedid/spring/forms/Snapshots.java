package io.shardedid.spring.forms;

import java.util.List;

import org.springframework.data.jpa.repository.JpaRepository;

interface Snapshots extends JpaRepository<Snapshot, Long> {

    List<Line> findByOwner(long owner);

    /** Says nothing of ids. */
    interface Line {

        Long getId();

        long getOwner();

    }

}
