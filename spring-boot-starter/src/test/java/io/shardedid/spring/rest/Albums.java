package io.shardedid.spring.rest;

import org.springframework.data.repository.CrudRepository;
import org.springframework.data.repository.query.Param;

public interface Albums extends CrudRepository<Album, Long> {

    Album findOneById(@Param("id") Long id);

}
