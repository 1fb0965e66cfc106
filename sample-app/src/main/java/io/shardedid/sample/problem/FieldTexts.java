package io.shardedid.sample.problem;

import java.util.stream.Collectors;

import org.springframework.validation.BindException;

/**
 * What is wrong with the fields of a body, as one text.
 */
final class FieldTexts {

    private FieldTexts() {
    }

    static String of(BindException invalid) {
        return invalid.getFieldErrors()
            .stream()
            .map((error) -> error.getField() + ": " + error.getDefaultMessage())
            .sorted()
            .collect(Collectors.joining(" "));
    }

}
