package io.shardedid.spring.rest;

import org.springframework.data.repository.CrudRepository;

public interface Albums extends CrudRepository<Album, Long> {

}
