package io.shardedid.spring.feed;

import org.springframework.data.jpa.repository.JpaRepository;

public interface Authors extends JpaRepository<Author, Long> {

}
