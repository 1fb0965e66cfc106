package io.shardedid.spring.rest;

import org.springframework.data.repository.CrudRepository;

public interface Sheets extends CrudRepository<Sheet, Long> {

}
