package io.shardedid.sample.web;

import java.beans.PropertyEditorSupport;

import io.shardedid.IdLayout;

/**
 * Reads an id as it is written: decimal digits. Spring's own conversion would also take
 * {@code 0x1f} and {@code #1f}, and falls back to that when a converter refuses, so this
 * is an editor.
 */
final class IdText extends PropertyEditorSupport {

    @Override
    public void setAsText(String text) {
        String digits = text.strip();
        if (digits.isEmpty()) {
            setValue(null);
            return;
        }
        setValue(IdLayout.parseText(digits)
            .orElseThrow(() -> new NumberFormatException("An id must be decimal digits: id='" + text + "'")));
    }

}
