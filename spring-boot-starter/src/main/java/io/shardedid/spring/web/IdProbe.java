package io.shardedid.spring.web;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import io.shardedid.jackson.IdTexts;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * What a writer of JSON is given to find out how it writes ids: it shows what it does,
 * whatever it is called and whatever it is made of.
 */
final class IdProbe {

    /** Beyond what JavaScript counts exactly, and an id of every layout. */
    private static final long ID = 503_630_804_723_700_751L;

    private final IdTexts texts;

    /**
     * Creates a probe.
     * @param texts the texts of the application
     */
    IdProbe(IdTexts texts) {
        this.texts = texts;
    }

    /** Returns whether ids of an entity arrive in the form that the application gives. */
    boolean isWritten(Writer writer, Class<?> entity) {
        // that of the nearest superclass, as the forms themselves read it
        PublicIdForm form = MergedAnnotations.from(entity, SearchStrategy.SUPERCLASS)
            .get(PublicId.class)
            .getValue("form", PublicIdForm.class)
            .orElse(PublicIdForm.CONFIGURED);
        Object probe = (form == PublicIdForm.SEALED) ? new SealedProbe() : new Probe();
        String text = this.texts.forEntity(probe.getClass()).format(ID);
        return written(writer, probe).filter((json) -> json.contains("\"" + text + "\"")).isPresent();
    }

    /** Returns whether the id leaves as a number, which JavaScript rounds. */
    boolean leavesAsNumber(Writer writer) {
        return written(writer, new Probe()).filter((json) -> json.matches("(?s).*[:\\[,]\\s*" + ID + "\\D.*"))
            .isPresent();
    }

    private static Optional<String> written(Writer writer, Object probe) {
        try {
            return Optional.of(new String(writer.write(probe), StandardCharsets.UTF_8));
        }
        catch (Exception | LinkageError ex) {
            // it writes no such class, so it is not known how it writes ids
            return Optional.empty();
        }
    }

    /** Writes an object as JSON. */
    @FunctionalInterface
    interface Writer {

        /**
         * Writes an object.
         * @return bytes in UTF-8
         * @throws Exception if it cannot
         */
        byte[] write(Object object) throws Exception;

    }

    /**
     * Looks like an entity to what writes it by fields and to what writes it by getters.
     */
    public static class Probe {

        /** The id. */
        @ShardedId
        public final Long id = ID;

        Probe() {
        }

        /**
         * Returns the id.
         * @return the id
         */
        public Long getId() {
            return this.id;
        }

    }

    /** Needs the keys of the application. */
    @PublicId(form = PublicIdForm.SEALED)
    public static final class SealedProbe extends Probe {

        SealedProbe() {
        }

    }

}
