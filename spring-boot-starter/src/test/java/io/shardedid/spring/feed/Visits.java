package io.shardedid.spring.feed;

import java.util.List;

import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.JpaSpecificationExecutor;
import org.springframework.data.jpa.repository.Query;

public interface Visits extends JpaRepository<Visit, Long>, JpaSpecificationExecutor<Visit> {

    @Query("select v from Visit v where shard_of(v.id) = :shard order by v.id")
    List<Visit> findByShard(int shard);

}
