package io.shardedid.hibernate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.config.ShardedIdSettings;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.PrePersist;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Trees: the generator chooses the shard of a row whose optional key is null, and those
 * below live there.
 */
@Tag("every-database")
class OptionalKeyTest {

    private static final String HERE = OptionalKeyTest.class.getName() + "$";

    static final SkippingTime time = new SkippingTime();

    static ShardedIdEngine ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = ShardedIds.builder().workers(WorkerLeases.fixed(24)).timeSource(time).open();
        unit = TestUnit.of(Map.of(ShardedIdSettings.ENGINE, ids, "shardedid.on-key-change", "fail"), Folder.class,
                Late.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    private static Folder otherRoot(Folder than) {
        Folder other;
        do {
            other = new Folder(null);
            unit.persist(other);
        }
        while (ids.shardOf(other.id) == ids.shardOf(than.id));
        return other;
    }

    @Test
    void rootsFoundShardsOfTheirOwn() {
        List<Integer> shards = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Folder root = new Folder(null);
            unit.persist(root);
            shards.add(ids.shardOf(root.id));
            // the roots of a millisecond are in one shard
            time.park(1_000_000);
        }
        assertThat(shards.stream().distinct()).hasSizeGreaterThan(40);
    }

    @Test
    void cascadesFromTheRootDownwards() {
        Folder root = new Folder(null);
        Folder child = new Folder(root);
        root.children.add(child);
        unit.persist(root);
        assertThat(ids.shardOf(child.id)).isEqualTo(ids.shardOf(root.id));
    }

    @Test
    void keyThatIsSetAfterTheIdWasMadeIsRefused() {
        Late late = new Late(new Folder(null));
        unit.persist(late.folder);
        while (true) {
            Late other = new Late(late.folder);
            try {
                unit.persist(other);
                // by chance of the same shard
                assertThat(ids.shardOf(other.id)).isEqualTo(ids.shardOf(late.folder.id));
            }
            catch (ShardKeyException ex) {
                assertThat(ex).hasMessageContainingAll(HERE + "Late", "parent");
                return;
            }
        }
    }

    @Test
    void subtreeMayBecomeATree() {
        Folder root = new Folder(null);
        Folder child = new Folder(root);
        unit.persist(root, child);
        unit.inTransaction((session) -> session.find(Folder.class, child.id).parent = null);
        unit.inTransaction(
                (session) -> session.find(Folder.class, child.id).parent = session.getReference(Folder.class, root.id));
        Long parent = unit.fromTransaction((session) -> session.find(Folder.class, child.id).parent.id);
        assertThat(parent).isEqualTo(root.id);
    }

    @Test
    void rootMustNotMoveBelowAParentOfAnotherShard() {
        Folder root = new Folder(null);
        unit.persist(root);
        Folder other = otherRoot(root);
        assertThatExceptionOfType(ShardKeyException.class).isThrownBy(() -> unit.inTransaction(
                (session) -> session.find(Folder.class, root.id).parent = session.getReference(Folder.class, other.id)))
            .withMessageContainingAll(HERE + "Folder", "parent");
    }

    @Test
    void shardsAgreeInHql() {
        Folder root = new Folder(null);
        Folder child = new Folder(root);
        unit.persist(root, child);
        List<Long> found = unit.fromTransaction((session) -> session
            .createSelectionQuery(
                    "select f.id from Folder f where shard_of(f.id) = shard_of(f.parent.id) and f.id = :id", Long.class)
            .setParameter("id", child.id)
            .getResultList());
        assertThat(found).containsExactly(child.id);
    }

    @Entity(name = "Folder")
    static class Folder {

        @Id
        @ShardedId(shardKey = "parent", optionalKey = true)
        Long id;

        @ManyToOne
        Folder parent;

        @OneToMany(mappedBy = "parent", cascade = CascadeType.PERSIST)
        List<Folder> children = new ArrayList<>();

        protected Folder() {
        }

        Folder(Folder parent) {
            this.parent = parent;
        }

    }

    @Entity(name = "LateFolder")
    static class Late {

        @Id
        @ShardedId(shardKey = "parent", optionalKey = true)
        Long id;

        @ManyToOne
        Folder parent;

        @jakarta.persistence.Transient
        Folder folder;

        protected Late() {
        }

        Late(Folder folder) {
            this.folder = folder;
        }

        @PrePersist
        void attach() {
            this.parent = this.folder;
        }

    }

}
