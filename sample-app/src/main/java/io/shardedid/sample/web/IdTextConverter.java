package io.shardedid.sample.web;

import java.util.regex.Pattern;

import org.springframework.core.convert.converter.Converter;

/**
 * Reads an id as it is written: decimal digits. Spring's own conversion would also take
 * {@code 0x1f} and {@code #1f}.
 */
final class IdTextConverter implements Converter<String, Long> {

    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,19}");

    @Override
    @SuppressWarnings("NullAway") // an empty field of a form is no id
    public Long convert(String text) {
        String digits = text.strip();
        if (digits.isEmpty()) {
            return null;
        }
        if (!DECIMAL.matcher(digits).matches()) {
            throw new NumberFormatException("An id must be decimal digits: id='" + text + "'");
        }
        return Long.valueOf(digits);
    }

}
