package photos;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.shardedid.IdParts;
import jakarta.persistence.EntityManager;

/** Saves one photo, prints what its id says and what the endpoint returns, and ends. */
@QuarkusMain
public class OnePhoto implements QuarkusApplication {

    private final EntityManager entities;

    OnePhoto(EntityManager entities) {
        this.entities = entities;
    }

    @Override
    public int run(String... arguments) throws IOException, InterruptedException {
        Photo photo = new Photo();
        photo.userId = 5711L;
        QuarkusTransaction.requiringNew().run(() -> this.entities.persist(photo));
        IdParts parts = PhotoIds.engine().parse(photo.id);
        System.out.printf("photo id=%s shard=%s worker=%s rows=%s json=%s%n", photo.id, parts.shard(), parts.worker(),
                rows(), json(photo.id));
        return 0;
    }

    private static String json(long id) throws IOException, InterruptedException {
        URI photo = URI.create("http://localhost:%s/photos/%s".formatted(System.getProperty("quarkus.http.port"), id));
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(photo).build(), BodyHandlers.ofString()).body();
    }

    private long rows() {
        return QuarkusTransaction.requiringNew()
            .call(() -> this.entities.createQuery("select count(*) from Photo where shard_of(id) = 1711", Long.class)
                .getSingleResult());
    }

}
