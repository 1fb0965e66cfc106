package io.shardedid.repository;

import jakarta.data.repository.CrudRepository;
import jakarta.data.repository.Repository;

/** Has every method of the repositories of Jakarta Data. */
@Repository
interface EveryNote extends CrudRepository<Note, Long> {

}
