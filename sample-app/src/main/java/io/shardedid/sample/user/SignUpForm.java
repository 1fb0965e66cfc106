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
        message = "A name has at most {max} characters.") @Pattern(regexp = "\\P{Cntrl}*",
                message = "A name is one line of text.") @Nullable String name) {

    SignUpForm {
        name = (name != null) ? name.strip() : null;
    }

}
