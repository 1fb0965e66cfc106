package io.shardedid.spring.web;

import java.util.Set;

import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.jackson.JsonIds;
import io.shardedid.jackson.JsonShardedId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.convert.ConversionService;
import org.springframework.format.AnnotationFormatterFactory;
import org.springframework.format.FormatterRegistry;
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

    /**
     * Adds what reads the ids of parameters, and of entities that Spring Data loads for
     * them.
     */
    static void register(FormatterRegistry registry, PublicIdFormats formats) {
        registry.addFormatterForFieldAnnotation(new IdFormatterFactory(formats));
        if (registry instanceof ConversionService entities) {
            registry.addConverter(new EntityByText(entities, formats));
        }
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

    /**
     * Negative numbers are legacy ids, which {@link PublicIdFormat#pattern()} does not
     * name.
     */
    static Long read(String text, PublicIdFormat format) {
        try {
            Long id = format.parse(text);
            if (!text.startsWith("-", format.prefix().length())) {
                return id;
            }
            LOG.debug("Could not read an id: text='%s' (it must not be negative); take the text as it was given out"
                .formatted(text));
        }
        catch (IllegalArgumentException ex) {
            LOG.debug(ex.getMessage());
        }
        throw new NoIdException(format.plain() ? NoIdException.NUMBER : JsonIds.RULE_OF_TEXT);
    }

    /**
     * A text of a request is no id. The message may be shown to the client: it reveals
     * neither what the text should be nor why it is wrong.
     */
    static final class NoIdException extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        private static final String NUMBER = "an id must be a whole number from 0 to " + Long.MAX_VALUE;

        NoIdException(String message) {
            super(message);
        }

    }

}
