package io.shardedid.hibernate;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.JoinTable;
import jakarta.persistence.ManyToMany;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Foreign keys of an id and a further column: Hibernate makes a copy of the id for them,
 * and asks for the generator of the copy.
 */
@Tag("every-database")
class CopiedIdTest {

    static ShardedIdEngine ids;

    @BeforeAll
    static void open() {
        ids = TestUnit.engine(29);
    }

    @AfterAll
    static void close() {
        ids.close();
    }

    @Test
    void foreignKeyWithAFurtherColumn() {
        try (TestUnit unit = TestUnit.with(ids, Order.class, Line.class)) {
            Order order = new Order();
            Line line = new Line();
            line.order = order;
            unit.persist(order, line);
            assertThat(ids.shardOf(line.id)).isEqualTo(ids.shardOf(order.id));
            assertThat(unit.<Long>fromTransaction((session) -> session.find(Line.class, line.id).order.id))
                .isEqualTo(order.id);
        }
    }

    @Test
    void tablesOfCollectionsWithAFurtherColumn() {
        try (TestUnit unit = TestUnit.with(ids, Order.class, Basket.class)) {
            Basket basket = new Basket();
            basket.orders.add(new Order());
            basket.labels.add("late");
            unit.persist(basket.orders.get(0), basket);
            assertThat(
                    unit.<List<Long>>fromTransaction((session) -> session.find(Basket.class, basket.id).orders.stream()
                        .map((order) -> order.id)
                        .toList()))
                .containsExactly(basket.orders.get(0).id);
        }
    }

    @Test
    void unidirectionalCollectionWithAFurtherColumn() {
        try (TestUnit unit = TestUnit.with(ids, Page.class, Book.class)) {
            Book book = new Book();
            book.pages.add(new Page());
            unit.persist(book, book.pages.get(0));
            assertThat(unit.<Integer>fromTransaction((session) -> session.find(Book.class, book.id).pages.size()))
                .isOne();
        }
    }

    /** A plain attribute with an id is copied as well. */
    @Test
    void idBesideTheIdentifier() {
        try (TestUnit unit = TestUnit.with(ids, Article.class, Remark.class)) {
            Remark remark = new Remark();
            remark.article = new Article();
            unit.persist(remark.article, remark);
            assertThat(unit.<Long>fromTransaction((session) -> session.find(Remark.class, remark.id).article.publicId))
                .isEqualTo(remark.article.publicId);
        }
    }

    /** So is a part of a composite identifier. */
    @Test
    void partOfACompositeIdentifier() {
        try (TestUnit unit = TestUnit.with(ids, Invoice.class, Item.class)) {
            Item item = new Item();
            item.invoice = new Invoice();
            unit.persist(item.invoice, item);
            assertThat(unit.<Long>fromTransaction((session) -> session.find(Item.class, item.id).invoice.id.number))
                .isEqualTo(item.invoice.id.number)
                .isPositive();
        }
    }

    @Entity(name = "CopiedOrder")
    static class Order implements Serializable {

        @Id
        @ShardedId(shardKey = "tenant")
        Long id;

        @Column(name = "tenant_id")
        Long tenant = 7L;

    }

    @Entity(name = "CopiedLine")
    static class Line {

        @Id
        @ShardedId(shardKey = "order")
        Long id;

        @ManyToOne
        @JoinColumn(name = "o_tenant", referencedColumnName = "tenant_id")
        @JoinColumn(name = "order_id", referencedColumnName = "id")
        Order order;

    }

    @Entity(name = "CopiedBasket")
    static class Basket implements Serializable {

        @Id
        @ShardedId(shardKey = "tenant")
        Long id;

        @Column(name = "tenant_id")
        Long tenant = 7L;

        @ManyToMany
        @JoinTable(name = "copied_basket_order",
                joinColumns = { @JoinColumn(name = "b_tenant", referencedColumnName = "tenant_id"),
                        @JoinColumn(name = "basket_id", referencedColumnName = "id") })
        List<Order> orders = new ArrayList<>();

        @ElementCollection
        @CollectionTable(name = "copied_basket_label",
                joinColumns = { @JoinColumn(name = "l_tenant", referencedColumnName = "tenant_id"),
                        @JoinColumn(name = "basket_id", referencedColumnName = "id") })
        List<String> labels = new ArrayList<>();

    }

    @Entity(name = "CopiedBook")
    static class Book implements Serializable {

        @Id
        @ShardedId(shardKey = "tenant")
        Long id;

        @Column(name = "tenant_id")
        Long tenant = 7L;

        @OneToMany
        @JoinColumn(name = "b_tenant", referencedColumnName = "tenant_id")
        @JoinColumn(name = "book_id", referencedColumnName = "id")
        List<Page> pages = new ArrayList<>();

    }

    @Entity(name = "CopiedPage")
    static class Page {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "CopiedArticle")
    static class Article implements Serializable {

        @Id
        Long id = 1L;

        @Column(name = "tenant_id")
        Long tenant = 7L;

        @ShardedId(shardKey = "tenant")
        @Column(name = "public_id")
        Long publicId;

    }

    @Entity(name = "CopiedRemark")
    static class Remark {

        @Id
        @ShardedId
        Long id;

        @ManyToOne
        @JoinColumn(name = "a_tenant", referencedColumnName = "tenant_id")
        @JoinColumn(name = "a_id", referencedColumnName = "public_id")
        Article article;

    }

    @Embeddable
    static class InvoiceId implements Serializable {

        @Column(name = "site_id")
        long site = 3;

        @ShardedId
        @Column(name = "invoice_number")
        Long number;

        @Override
        public boolean equals(Object other) {
            return other instanceof InvoiceId id && id.site == this.site && id.number.equals(this.number);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(this.site);
        }

    }

    @Entity(name = "CopiedInvoice")
    static class Invoice implements Serializable {

        @EmbeddedId
        InvoiceId id = new InvoiceId();

        @Column(name = "tenant_id")
        Long tenant = 7L;

    }

    @Entity(name = "CopiedItem")
    static class Item {

        @Id
        @ShardedId
        Long id;

        @ManyToOne
        @JoinColumn(name = "i_tenant", referencedColumnName = "tenant_id")
        @JoinColumn(name = "i_number", referencedColumnName = "invoice_number")
        @JoinColumn(name = "i_site", referencedColumnName = "site_id")
        Invoice invoice;

    }

}
