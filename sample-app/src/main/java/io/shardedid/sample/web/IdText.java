package io.shardedid.sample.web;

import java.beans.PropertyEditorSupport;
import java.util.regex.Pattern;

/**
 * Reads an id as it is written: decimal digits. Spring's own conversion would also take
 * {@code 0x1f} and {@code #1f}, and falls back to that when a converter refuses, so this
 * is an editor.
 */
final class IdText extends PropertyEditorSupport {

    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,19}");

    @Override
    public void setAsText(String text) {
        String digits = text.strip();
        if (!digits.isEmpty() && !DECIMAL.matcher(digits).matches()) {
            throw new NumberFormatException("An id must be decimal digits: id='" + text + "'");
        }
        setValue(digits.isEmpty() ? null : Long.valueOf(digits));
    }

}
