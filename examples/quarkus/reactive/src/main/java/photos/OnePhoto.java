package photos;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.hibernate.reactive.panache.Panache;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.quarkus.vertx.VertxContextSupport;
import io.shardedid.IdParts;
import io.shardedid.ShardedIdException;
import io.smallrye.mutiny.Uni;

/**
 * Saves one photo, prints what its id says, then asks for ids of a shard whose ids
 * another thread takes, and ends.
 */
@QuarkusMain
public class OnePhoto implements QuarkusApplication {

    private static final int TOO_MANY = 100_000;

    private final ObjectMapper json;

    OnePhoto(ObjectMapper json) {
        this.json = json;
    }

    @Override
    public int run(String... arguments) throws JsonProcessingException {
        Photo photo = await(() -> Panache.withTransaction(() -> photo().<Photo>persistAndFlush()));
        long rows = await(() -> Panache.withSession(() -> Photo.count("shard_of(id) = 1711")));
        IdParts parts = PhotoIds.engine().parse(photo.id);
        System.out.printf("photo id=%s shard=%s worker=%s rows=%s json=%s%n", photo.id, parts.shard(), parts.worker(),
                rows, this.json.writeValueAsString(photo));
        System.out.println("refused retryable=" + refusal().retryable());
        return 0;
    }

    private static ShardedIdException refusal() {
        AtomicBoolean refused = new AtomicBoolean();
        new Thread(() -> {
            while (!refused.get()) {
                PhotoIds.engine().next(1711);
            }
        }).start();
        try {
            await(() -> Panache.withTransaction(() -> Photo.persist(Stream.generate(OnePhoto::photo).limit(TOO_MANY))));
            throw new IllegalStateException("An event loop has waited for an id");
        }
        catch (IllegalStateException ex) {
            for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
                if (cause instanceof ShardedIdException refusal) {
                    return refusal;
                }
            }
            throw ex;
        }
        finally {
            refused.set(true);
        }
    }

    private static <T> T await(Supplier<Uni<T>> work) {
        try {
            return VertxContextSupport.subscribeAndAwait(work);
        }
        catch (Throwable ex) {
            throw new IllegalStateException("Could not do it", ex);
        }
    }

    private static Photo photo() {
        Photo photo = new Photo();
        photo.userId = 5711L;
        return photo;
    }

}
