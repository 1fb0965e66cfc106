package io.shardedid.spring.web;

import java.util.Set;

import io.shardedid.jackson.IdText;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonIds;
import io.shardedid.jackson.JsonShardedId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.format.AnnotationFormatterFactory;
import org.springframework.format.Parser;
import org.springframework.format.Printer;

/**
 * Reads and writes ids in path variables, request parameters and form fields that have
 * {@link JsonShardedId}, in the form of their entity. Spring keeps what this makes.
 */
final class IdFormatterFactory implements AnnotationFormatterFactory<JsonShardedId> {

    private static final Log LOG = LogFactory.getLog(IdFormatterFactory.class);

    private final IdTexts formats;

    IdFormatterFactory(IdTexts formats) {
        this.formats = formats;
    }

    @Override
    public Set<Class<?>> getFieldTypes() {
        return Set.of(Long.class);
    }

    @Override
    public Printer<Long> getPrinter(JsonShardedId mark, Class<?> type) {
        IdText format = JsonIds.format(mark, this.formats);
        return (id, locale) -> format.format(id);
    }

    @Override
    public Parser<Long> getParser(JsonShardedId mark, Class<?> type) {
        IdText format = JsonIds.format(mark, this.formats);
        return (text, locale) -> JsonIds.read(text, format, LOG::debug);
    }

}
