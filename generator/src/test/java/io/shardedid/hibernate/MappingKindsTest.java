package io.shardedid.hibernate;

import java.io.Serializable;
import java.util.Objects;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIds;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.MapsId;
import org.hibernate.AnnotationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Where the annotation can stand: superclasses, inheritance, composite ids.
 */
class MappingKindsTest {

    private static final String HERE = MappingKindsTest.class.getName() + "$";

    static ShardedIds ids;

    static TestUnit unit;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(5);
        unit = TestUnit.with(ids, Comment.class, Generic.class, Animal.class, Dog.class, Vehicle.class, Car.class,
                Shape.class, Circle.class, Order.class, RecordOrder.class, Line.class, Visit.class, Bill.class,
                Tenant.class, Membership.class);
    }

    @AfterAll
    static void close() {
        unit.close();
        ids.close();
    }

    @Test
    void inheritsIdAndKeyFromAMappedSuperclass() {
        Comment comment = new Comment();
        comment.userId = 11;
        unit.persist(comment);
        assertThat(ids.shardOf(comment.id)).isEqualTo(11);
    }

    @Test
    void resolvesTypeVariablesOfAMappedSuperclass() {
        Generic generic = new Generic();
        generic.ownerId = 12L;
        unit.persist(generic);
        assertThat(ids.shardOf(generic.id)).isEqualTo(12);
    }

    @Test
    void generatesForASingleTable() {
        Dog dog = new Dog();
        dog.ownerId = 13;
        unit.persist(dog);
        assertThat(ids.shardOf(dog.id)).isEqualTo(13);
    }

    @Test
    void generatesForJoinedTables() {
        Car car = new Car();
        car.ownerId = 14;
        unit.persist(car);
        assertThat(ids.shardOf(car.id)).isEqualTo(14);
    }

    @Test
    void generatesForATablePerClass() {
        Circle circle = new Circle();
        circle.ownerId = 15;
        unit.persist(circle);
        assertThat(ids.shardOf(circle.id)).isEqualTo(15);
    }

    @Test
    void generatesAPartOfAnEmbeddedId() {
        Order order = new Order();
        order.id.customer = 16;
        order.customerCopy = 17;
        unit.persist(order);
        assertThat(ids.shardOf(order.id.number)).isEqualTo(16);
        assertThat(unit.fromTransaction((session) -> session.find(Order.class, order.id)).customerCopy).isEqualTo(17);
    }

    @Test
    void generatesAPartOfAnEmbeddedIdThatIsARecord() {
        RecordOrder order = new RecordOrder();
        order.id = new RecordOrderId(18, null);
        unit.persist(order);
        assertThat(ids.shardOf(order.id.number())).isEqualTo(18);
        assertThat(order.id.customer()).isEqualTo(18);
    }

    @Test
    void takesOverTheShardOfAPartOfACompositeId() {
        Order order = new Order();
        order.id.customer = 19;
        Line line = new Line();
        line.order = order;
        unit.persist(order, line);
        assertThat(ids.shardOf(line.id)).isEqualTo(19);
    }

    @Test
    void generatesAnAttributeOfAnIdClass() {
        Visit visit = new Visit();
        visit.petId = 20;
        unit.persist(visit);
        assertThat(ids.shardOf(visit.number)).isEqualTo(20);
    }

    @Test
    void takesOverTheShardOfAPartOfAnIdClass() {
        Visit visit = new Visit();
        visit.petId = 21;
        Bill bill = new Bill();
        bill.details = new Details();
        bill.details.visit = visit;
        unit.persist(visit, bill);
        assertThat(ids.shardOf(bill.id)).isEqualTo(21);
    }

    @Test
    void generatesBesideAnIdThatIsMappedFromTheParent() {
        Tenant tenant = new Tenant();
        Membership membership = new Membership();
        membership.tenant = tenant;
        unit.persist(tenant, membership);
        assertThat(membership.id.tenant).isEqualTo(tenant.id);
        assertThat(ids.shardOf(membership.id.number)).isEqualTo(ids.shardOf(tenant.id));
    }

    @Test
    void refusesACompositeIdWithoutItsPart() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> TestUnit.with(ids, Order.class, WholeOrder.class).close())
            .withMessage("'@ShardedId(shardKey = \"order\")' on '%sWholeOrder.id' must name a part of the composite id "
                .formatted(HERE) + "of '%sOrder'; one of 'order.id.customer', 'order.id.number'".formatted(HERE));
    }

    @MappedSuperclass
    abstract static class OfUser {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

    @Entity(name = "Comments")
    static class Comment extends OfUser {

    }

    @MappedSuperclass
    abstract static class OfAnything<I extends Serializable, K> {

        @Id
        @ShardedId(shardKey = "ownerId")
        I id;

        K ownerId;

    }

    @Entity(name = "Generic")
    static class Generic extends OfAnything<Long, Long> {

    }

    @Entity(name = "Animal")
    static class Animal {

        @Id
        @ShardedId(shardKey = "ownerId")
        Long id;

        long ownerId;

    }

    @Entity(name = "Dog")
    static class Dog extends Animal {

        String name;

    }

    @Entity(name = "Vehicle")
    @Inheritance(strategy = InheritanceType.JOINED)
    abstract static class Vehicle {

        @Id
        @ShardedId(shardKey = "ownerId")
        Long id;

        long ownerId;

    }

    @Entity(name = "Car")
    static class Car extends Vehicle {

        String name;

    }

    @Entity(name = "Shape")
    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    abstract static class Shape {

        @Id
        @ShardedId(shardKey = "ownerId")
        Long id;

        long ownerId;

    }

    @Entity(name = "Circle")
    static class Circle extends Shape {

        String name;

    }

    @Embeddable
    static class OrderId {

        long customer;

        @ShardedId(shardKey = "id.customer")
        Long number;

        @Override
        public boolean equals(Object other) {
            return other instanceof OrderId that && this.customer == that.customer
                    && Objects.equals(this.number, that.number);
        }

        @Override
        public int hashCode() {
            return Objects.hash(this.customer, this.number);
        }

    }

    @Entity(name = "Orders")
    static class Order {

        @EmbeddedId
        OrderId id = new OrderId();

        long customerCopy;

    }

    @Embeddable
    record RecordOrderId(long customer, @ShardedId(shardKey = "id.customer") Long number) {
    }

    @Entity(name = "RecordOrders")
    static class RecordOrder {

        @EmbeddedId
        RecordOrderId id;

    }

    @Entity(name = "Line")
    static class Line {

        @Id
        @ShardedId(shardKey = "order.id.number")
        Long id;

        @ManyToOne
        Order order;

    }

    @Entity(name = "WholeOrder")
    static class WholeOrder {

        @Id
        @ShardedId(shardKey = "order")
        Long id;

        @ManyToOne
        Order order;

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

    @Entity(name = "Visit")
    @IdClass(VisitId.class)
    static class Visit {

        @Id
        long petId;

        @Id
        @ShardedId(shardKey = "petId")
        Long number;

    }

    @Embeddable
    static class Details {

        @ManyToOne
        Visit visit;

    }

    @Entity(name = "Bill")
    static class Bill {

        @Id
        @ShardedId(shardKey = "details.visit.number")
        Long id;

        Details details;

    }

    @Entity(name = "Tenant")
    static class Tenant {

        @Id
        @ShardedId
        Long id;

    }

    @Embeddable
    static class MembershipId {

        Long tenant;

        @ShardedId(shardKey = "tenant")
        Long number;

        @Override
        public boolean equals(Object other) {
            return other instanceof MembershipId that && Objects.equals(this.tenant, that.tenant)
                    && Objects.equals(this.number, that.number);
        }

        @Override
        public int hashCode() {
            return Objects.hash(this.tenant, this.number);
        }

    }

    @Entity(name = "Membership")
    static class Membership {

        @EmbeddedId
        MembershipId id = new MembershipId();

        @MapsId("tenant")
        @ManyToOne
        Tenant tenant;

    }

}
