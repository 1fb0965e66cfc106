package io.shardedid.spring.web;

import java.util.Set;

import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.PublicIdFormats;
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

    private final PublicIdFormats formats;

    IdFormatterFactory(PublicIdFormats formats) {
        this.formats = formats;
    }

    @Override
    public Set<Class<?>> getFieldTypes() {
        return Set.of(Long.class);
    }

    @Override
    public Printer<Long> getPrinter(JsonShardedId mark, Class<?> type) {
        PublicIdFormat format = JsonIds.format(mark, this.formats);
        return (id, locale) -> format.format(id);
    }

    @Override
    public Parser<Long> getParser(JsonShardedId mark, Class<?> type) {
        PublicIdFormat format = JsonIds.format(mark, this.formats);
        return (text, locale) -> read(text, format);
    }

    private static Long read(String text, PublicIdFormat format) {
        try {
            return format.parse(text);
        }
        catch (IllegalArgumentException ex) {
            LOG.debug(ex.getMessage());
            throw new NoIdException(format.plain() ? NoIdException.NUMBER : JsonIds.RULE_OF_TEXT);
        }
    }

    /**
     * A text of a request is no id. The message may be shown to whoever sent it: it tells
     * neither what the text should be nor why it is refused.
     */
    static final class NoIdException extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        private static final String NUMBER = "an id must be a whole 64-bit number";

        NoIdException(String message) {
            super(message);
        }

    }

}
