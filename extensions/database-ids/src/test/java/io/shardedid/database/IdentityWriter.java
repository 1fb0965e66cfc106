package io.shardedid.database;

import java.util.List;
import java.util.Map;

import io.shardedid.SeparateJvm;
import io.shardedid.ShardedId;
import io.shardedid.testdb.TestDatabase;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/**
 * A process whose Hibernate inserts rows with IDENTITY, whose ids a trigger makes, and as
 * many with ids of its own. Arguments: the JDBC URL, the worker id, and the ids of the
 * authors of the rows. Prints {@code DONE} at the end.
 */
final class IdentityWriter {

    /** How many rows of each kind it inserts. */
    static final int ROWS = 300;

    private IdentityWriter() {
    }

    public static void main(String[] args) {
        SeparateJvm.endWithParent();
        List<Long> authors = List.of(args).subList(2, args.length).stream().map(Long::valueOf).toList();
        try (DatabaseUnit unit = DatabaseUnit.of(new TestDatabase(args[0], "postgres", ""),
                Map.of("shardedid.worker.mode", "fixed", "shardedid.worker.id", args[1]), IdTriggerIT.Account.class,
                IdTriggerIT.Photo.class, OwnPhoto.class)) {
            for (int i = 0; i < ROWS; i++) {
                long author = authors.get(i % authors.size());
                IdTriggerIT.Photo left = new IdTriggerIT.Photo();
                left.author = unit.factory
                    .fromSession((session) -> session.getReference(IdTriggerIT.Account.class, author));
                left.madeBy = "process " + args[1];
                OwnPhoto own = new OwnPhoto();
                own.authorId = author;
                own.madeBy = left.madeBy + " itself";
                unit.persist(left, own);
            }
        }
        System.out.println("DONE");
    }

    /** A row whose id the application makes. */
    @Entity(name = "OwnPhoto")
    @Table(name = "photo")
    static class OwnPhoto {

        @Id
        @ShardedId(colocateWith = "authorId")
        Long id;

        @Column(name = "author_id")
        long authorId;

        @Column(name = "made_by")
        String madeBy;

    }

}
