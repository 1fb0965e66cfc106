package io.shardedid.spring.rest;

import org.springframework.data.repository.CrudRepository;

public interface Guests extends CrudRepository<Guest, Long> {

}
