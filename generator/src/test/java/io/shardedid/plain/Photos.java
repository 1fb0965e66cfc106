package io.shardedid.plain;

import io.shardedid.ShardedIds;
import io.shardedid.hibernate.ShardedIdService;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import org.hibernate.SessionFactory;

class Photos implements AutoCloseable {

    private final EntityManagerFactory factory = Persistence.createEntityManagerFactory("photos");

    private final ShardedIds ids = ShardedIdService.idsOf(this.factory.unwrap(SessionFactory.class));

    int shardOf(Long userId) {
        return this.ids.shardOfKey(userId);
    }

    Photo save(Long userId) {
        Photo photo = new Photo();
        photo.userId = userId;
        this.factory.unwrap(SessionFactory.class).inTransaction((session) -> session.persist(photo));
        return photo;
    }

    @Override
    public void close() {
        this.factory.close();
    }

}
