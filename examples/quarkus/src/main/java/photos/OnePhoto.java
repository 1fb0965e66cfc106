package photos;

import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.shardedid.IdParts;
import jakarta.persistence.EntityManager;

/** Saves one photo, prints what its id says, and ends. */
@QuarkusMain
public class OnePhoto implements QuarkusApplication {

    private final EntityManager entities;

    OnePhoto(EntityManager entities) {
        this.entities = entities;
    }

    @Override
    public int run(String... arguments) {
        Photo photo = new Photo();
        photo.userId = 5711L;
        QuarkusTransaction.requiringNew().run(() -> this.entities.persist(photo));
        IdParts parts = PhotoIds.engine().parse(photo.id);
        System.out.printf("photo id=%s shard=%s worker=%s rows=%s%n", photo.id, parts.shard(), parts.worker(), rows());
        return 0;
    }

    private long rows() {
        return QuarkusTransaction.requiringNew()
            .call(() -> this.entities.createQuery("select count(*) from Photo where shard_of(id) = 1711", Long.class)
                .getSingleResult());
    }

}
