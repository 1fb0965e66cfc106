package io.shardedid.sample.user;

import java.util.Optional;

import org.springframework.data.repository.Repository;

/**
 * The users in the database.
 */
public interface Users extends Repository<User, Long> {

    User save(User user);

    Optional<User> findById(long id);

    Optional<User> findByName(String name);

    boolean existsById(long id);

    boolean existsBy();

}
