package photos;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.shardedid.IdParts;
import jakarta.persistence.EntityManager;

/** Saves one photo, prints what its id says, and ends. */
@QuarkusMain
public class OnePhoto implements QuarkusApplication {

    private final EntityManager entities;

    private final ObjectMapper json;

    OnePhoto(EntityManager entities, ObjectMapper json) {
        this.entities = entities;
        this.json = json;
    }

    @Override
    public int run(String... arguments) throws JsonProcessingException {
        Photo photo = new Photo();
        photo.userId = 5711L;
        QuarkusTransaction.requiringNew().run(() -> this.entities.persist(photo));
        IdParts parts = PhotoIds.engine().parse(photo.id);
        System.out.printf("photo id=%s shard=%s worker=%s rows=%s json=%s%n", photo.id, parts.shard(), parts.worker(),
                rows(), this.json.writeValueAsString(photo));
        return 0;
    }

    private long rows() {
        return QuarkusTransaction.requiringNew()
            .call(() -> this.entities.createQuery("select count(*) from Photo where shard_of(id) = 1711", Long.class)
                .getSingleResult());
    }

}
