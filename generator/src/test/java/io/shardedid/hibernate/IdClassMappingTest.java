package io.shardedid.hibernate;

import java.util.Objects;

import io.shardedid.ShardedId;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.ManyToOne;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code @IdClass} with the annotation on one attribute of the entity.
 */
class IdClassMappingTest {

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(Visit.class, RecordVisit.class, Bill.class, Owner.class,
            OwnedVisit.class);

    @Test
    void keyInTheId() {
        Visit visit = new Visit();
        visit.petId = 20;
        assertThat(unit.statementsToPersist(visit)).containsExactly("insert");
        assertThat(unit.shardOf(visit.number)).isEqualTo(20);
    }

    @Test
    void idClassThatIsARecord() {
        RecordVisit visit = new RecordVisit();
        visit.petId = 22;
        assertThat(unit.statementsToPersist(visit)).containsExactly("insert");
        assertThat(unit.shardOf(visit.number)).isEqualTo(22);
        assertThat(unit.find(RecordVisit.class, new RecordVisitId(22, visit.number))).isNotNull();
    }

    @Test
    void associationToAPartOfTheId() {
        Visit visit = new Visit();
        visit.petId = 21;
        Bill bill = new Bill();
        bill.details = new Details();
        bill.details.visit = visit;
        assertThat(unit.statementsToPersist(visit, bill)).containsExactly("insert", "insert");
        assertThat(unit.shardOf(bill.id)).isEqualTo(21);
    }

    @Test
    void keyThatIsAnAssociationInTheId() {
        Owner owner = new Owner();
        OwnedVisit visit = new OwnedVisit();
        visit.owner = owner;
        assertThat(unit.statementsToPersist(owner, visit)).containsExactly("insert", "insert");
        assertThat(unit.shardOf(visit.number)).isEqualTo(unit.shardOf(owner.id));
    }

    static class VisitId {

        long petId;

        Long number;

        @Override
        public boolean equals(Object other) {
            return other instanceof VisitId that && this.petId == that.petId
                    && Objects.equals(this.number, that.number);
        }

        @Override
        public int hashCode() {
            return Objects.hash(this.petId, this.number);
        }

    }

    @Entity(name = "IdClassVisit")
    @IdClass(VisitId.class)
    static class Visit {

        @Id
        long petId;

        @Id
        @ShardedId(shardKey = "petId")
        @Column(name = "visit_number")
        Long number;

    }

    record RecordVisitId(long petId, Long number) {
    }

    @Entity(name = "IdRecordVisit")
    @IdClass(RecordVisitId.class)
    static class RecordVisit {

        @Id
        long petId;

        @Id
        @ShardedId(shardKey = "petId")
        @Column(name = "visit_number")
        Long number;

    }

    @Embeddable
    static class Details {

        @ManyToOne
        Visit visit;

    }

    @Entity(name = "VisitBill")
    static class Bill {

        @Id
        @ShardedId(shardKey = "details.visit.number")
        Long id;

        Details details;

    }

    @Entity(name = "VisitOwner")
    static class Owner {

        @Id
        @ShardedId
        Long id;

    }

    record OwnedVisitId(Long owner, Long number) {
    }

    @Entity(name = "OwnedVisit")
    @IdClass(OwnedVisitId.class)
    static class OwnedVisit {

        @Id
        @ManyToOne
        Owner owner;

        @Id
        @ShardedId(shardKey = "owner")
        @Column(name = "visit_number")
        Long number;

    }

}
