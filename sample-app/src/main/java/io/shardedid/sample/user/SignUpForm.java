package io.shardedid.sample.user;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * What a visitor types to sign up.
 *
 * @param name the name, without the white space around it
 */
record SignUpForm(@NotBlank(message = "Please type a name.") @Size(max = User.NAME_LENGTH,
        message = "A name has at most {max} characters.") @Pattern(regexp = SignUpForm.VISIBLE,
                message = "A name is one line of text that can be seen.") @Nullable String name) {

    /**
     * Something that is seen, and nothing that turns, hides or breaks a line but for the
     * joiners inside of words and pictures. An empty name has a message of its own.
     */
    static final String VISIBLE = "|(?=.*[^\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}\\p{M}])"
            + "[[^\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]\\x{200C}\\x{200D}]*";

    SignUpForm {
        name = (name != null) ? name.strip() : null;
    }

}
