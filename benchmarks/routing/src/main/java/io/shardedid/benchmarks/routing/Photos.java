package io.shardedid.benchmarks.routing;

import org.springframework.data.jpa.repository.JpaRepository;

interface Photos extends JpaRepository<Photo, Long> {

}
