package io.shardedid.hibernate;

import java.io.Serializable;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MappedSuperclass;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ids and keys that are inherited.
 */
class InheritanceMappingTest {

    @RegisterExtension
    static final OpenUnit unit = new OpenUnit(Comment.class, Generic.class, GenericText.class, GenericChild.class,
            Animal.class, Dog.class, Vehicle.class, Car.class, Shape.class, Circle.class, Leash.class, Wheel.class);

    @Test
    void mappedSuperclass() {
        Comment comment = new Comment();
        comment.userId = 11;
        assertThat(unit.statementsToPersist(comment)).containsExactly("insert");
        assertThat(unit.shardOf(comment.id)).isEqualTo(11);
    }

    @Test
    void typeVariablesOfAMappedSuperclass() {
        Generic generic = new Generic();
        generic.owner = 12L;
        assertThat(unit.statementsToPersist(generic)).containsExactly("insert");
        assertThat(unit.shardOf(generic.id)).isEqualTo(12);
    }

    @Test
    void typeVariablesThatAreTexts() {
        GenericText generic = new GenericText();
        generic.owner = "ada";
        assertThat(unit.statementsToPersist(generic)).containsExactly("insert");
        assertThat(generic.id).hasSize(19);
        assertThat(unit.shardOf(Long.parseLong(generic.id))).isEqualTo(unit.ids().shardOfKey("ada"));
    }

    @Test
    void typeVariableThatIsAnAssociation() {
        Generic owner = new Generic();
        owner.owner = 17L;
        GenericChild child = new GenericChild();
        child.owner = owner;
        assertThat(unit.statementsToPersist(owner, child)).containsExactly("insert", "insert");
        assertThat(unit.shardOf(child.id)).isEqualTo(17);
    }

    @Test
    void singleTable() {
        Dog dog = new Dog();
        dog.ownerId = 13;
        assertThat(unit.statementsToPersist(dog)).containsExactly("insert");
        assertThat(unit.shardOf(dog.id)).isEqualTo(13);
    }

    @Test
    void joinedTables() {
        Car car = new Car();
        car.ownerId = 14;
        assertThat(unit.statementsToPersist(car)).containsExactly("insert", "insert");
        assertThat(unit.shardOf(car.id)).isEqualTo(14);
    }

    @Test
    void tablePerClass() {
        Circle circle = new Circle();
        circle.ownerId = 15;
        assertThat(unit.statementsToPersist(circle)).containsExactly("insert");
        assertThat(unit.shardOf(circle.id)).isEqualTo(15);
    }

    @Test
    void associationToASubclass() {
        Dog dog = new Dog();
        dog.ownerId = 16;
        Leash leash = new Leash();
        leash.dog = dog;
        assertThat(unit.statementsToPersist(dog, leash)).containsExactly("insert", "insert");
        assertThat(unit.shardOf(leash.id)).isEqualTo(16);
    }

    @Test
    void associationToAnAbstractRoot() {
        Car car = new Car();
        car.ownerId = 18;
        unit.persist(car);
        Wheel wheel = new Wheel();
        assertThat(unit.statements((session) -> {
            wheel.vehicle = session.getReference(Vehicle.class, car.id);
            session.persist(wheel);
        })).containsExactly("insert");
        assertThat(unit.shardOf(wheel.id)).isEqualTo(18);
    }

    @MappedSuperclass
    abstract static class OfUser {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

    @Entity(name = "InheritedComment")
    static class Comment extends OfUser {

    }

    @MappedSuperclass
    abstract static class OfAnything<I extends Serializable> {

        @Id
        @ShardedId(shardKey = "owner")
        I id;

    }

    @MappedSuperclass
    abstract static class Owned<I extends Serializable, K> extends OfAnything<I> {

        K owner;

    }

    @Entity(name = "InheritedGeneric")
    static class Generic extends Owned<Long, Long> {

    }

    @Entity(name = "InheritedGenericText")
    static class GenericText extends Owned<String, String> {

    }

    @MappedSuperclass
    abstract static class ChildOf<P> {

        @Id
        @ShardedId(shardKey = "owner")
        Long id;

        @ManyToOne
        P owner;

    }

    @Entity(name = "InheritedGenericChild")
    static class GenericChild extends ChildOf<Generic> {

    }

    @Entity(name = "InheritedAnimal")
    static class Animal {

        @Id
        @ShardedId(shardKey = "ownerId")
        Long id;

        long ownerId;

    }

    @Entity(name = "InheritedDog")
    static class Dog extends Animal {

        String called;

    }

    @Entity(name = "InheritedVehicle")
    @Inheritance(strategy = InheritanceType.JOINED)
    abstract static class Vehicle {

        @Id
        @ShardedId(shardKey = "ownerId")
        Long id;

        long ownerId;

    }

    @Entity(name = "InheritedCar")
    static class Car extends Vehicle {

        String called;

    }

    @Entity(name = "InheritedShape")
    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    abstract static class Shape {

        @Id
        @ShardedId(shardKey = "ownerId")
        Long id;

        long ownerId;

    }

    @Entity(name = "InheritedCircle")
    static class Circle extends Shape {

        String called;

    }

    @Entity(name = "InheritedLeash")
    static class Leash {

        @Id
        @ShardedId(shardKey = "dog")
        Long id;

        @ManyToOne
        Dog dog;

    }

    @Entity(name = "InheritedWheel")
    static class Wheel {

        @Id
        @ShardedId(shardKey = "vehicle")
        Long id;

        @ManyToOne
        Vehicle vehicle;

    }

}
