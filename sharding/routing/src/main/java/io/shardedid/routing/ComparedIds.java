package io.shardedid.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.shardedid.hibernate.EntityShards;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.query.sqm.ComparisonOperator;
import org.hibernate.query.sqm.spi.BaseSemanticQueryWalker;
import org.hibernate.query.sqm.tree.SqmStatement;
import org.hibernate.query.sqm.tree.domain.SqmPath;
import org.hibernate.query.sqm.tree.expression.SqmExpression;
import org.hibernate.query.sqm.tree.expression.SqmParameter;
import org.hibernate.query.sqm.tree.predicate.SqmComparisonPredicate;
import org.hibernate.query.sqm.tree.predicate.SqmInListPredicate;
import org.hibernate.query.sqm.tree.predicate.SqmNegatedPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the parameters of a query in HQL that are compared with the ids of rows that have
 * a shard, by {@code =} or {@code in}. The row of a foreign id is in another database, so
 * the query would leave it out without a word.
 */
final class ComparedIds extends BaseSemanticQueryWalker {

    private final EntityShards entities;

    private final Map<Object, Integer> arguments;

    private final List<Comparison> found = new ArrayList<>();

    private ComparedIds(EntityShards entities, Map<Object, Integer> arguments) {
        this.entities = entities;
        this.arguments = arguments;
    }

    /**
     * Returns the comparisons of a query.
     * @param arguments the places of the arguments, by the names and the positions of
     * their parameters
     */
    static List<Comparison> in(String hql, SessionFactoryImplementor factory, EntityShards entities,
            Map<Object, Integer> arguments) {
        SqmStatement<?> statement = factory.getQueryEngine().getHqlTranslator().translate(hql, null);
        ComparedIds ids = new ComparedIds(entities, arguments);
        statement.accept(ids);
        return List.copyOf(ids.found);
    }

    @Override
    public Object visitComparisonPredicate(SqmComparisonPredicate predicate) {
        if (predicate.getSqmOperator() == ComparisonOperator.EQUAL && !predicate.isNegated()) {
            compare(predicate.getLeftHandExpression(), predicate.getRightHandExpression());
            compare(predicate.getRightHandExpression(), predicate.getLeftHandExpression());
        }
        return super.visitComparisonPredicate(predicate);
    }

    @Override
    public Object visitInListPredicate(SqmInListPredicate<?> predicate) {
        if (!predicate.isNegated()) {
            predicate.getListExpressions().forEach((value) -> compare(predicate.getTestExpression(), value));
        }
        return super.visitInListPredicate(predicate);
    }

    /** A row that is not the foreign one may be anywhere. */
    @Override
    public Object visitNegatedPredicate(SqmNegatedPredicate predicate) {
        return predicate;
    }

    private void compare(SqmExpression<?> expression, SqmExpression<?> value) {
        if (expression instanceof SqmPath<?> path && value instanceof SqmParameter<?> parameter) {
            String entity = entity(path);
            Integer argument = this.arguments
                .get((parameter.getName() != null) ? parameter.getName() : parameter.getPosition());
            if (entity != null && argument != null) {
                this.found.add(new Comparison(argument, entity));
            }
        }
    }

    /** The entity whose id, or whose row, a path leads to, or null. */
    private @Nullable String entity(SqmPath<?> path) {
        String row = sharded(path);
        SqmPath<?> before = path.getLhs();
        String owner = (row == null && before != null) ? sharded(before) : null;
        return (owner != null && path.getReferencedPathSource().getPathName().equals(this.entities.idProperty(owner)))
                ? owner : row;
    }

    private @Nullable String sharded(SqmPath<?> path) {
        Class<?> type = path.getJavaType();
        return (type != null && this.entities.sharded(type.getName())) ? type.getName() : null;
    }

    /**
     * A comparison.
     *
     * @param argument the place of the argument that has the id or the ids, or rows
     * @param entity the name of the entity
     */
    record Comparison(int argument, String entity) {
    }

}
