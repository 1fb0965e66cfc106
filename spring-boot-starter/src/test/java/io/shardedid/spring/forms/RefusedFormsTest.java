package io.shardedid.spring.forms;

import io.shardedid.ShardedIdConfigurationException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Forms and keys that end the start of an application, with what to do about it.
 */
@ExtendWith(OutputCaptureExtension.class)
class RefusedFormsTest {

    private static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    @Test
    void unknownForm(CapturedOutput output) {
        refused("'shardedid.form' must be one of decimal, crockford, base62, sealed: shardedid.form='hex'",
                "--shardedid.form=hex");
        assertThat(output).contains("shardedid.form=hex");
    }

    @Test
    void keyOfAWrongLength(CapturedOutput output) {
        refused("Could not read 'shardedid.sealing.keys': Sealing key has a wrong length: key=1, bytes=15 (16, 24 or 32); "
                + "make a key with 'openssl rand -base64 32'", "--shardedid.sealing.keys=AAECAwQFBgcICQoLDA0O");
        assertThat(output).contains("shardedid.sealing.keys=******").doesNotContain("AAECAw");
    }

    @Test
    void sealedFormWithoutAKey() {
        refused("'shardedid.form=sealed' needs a key: shardedid.sealing.keys=null (at least 1); make a key with 'openssl "
                + "rand -base64 32', and set 'shardedid.sealing.keys'", "--shardedid.form=sealed");
    }

    @Test
    void sealedEntityWithoutAKey() {
        assertThatThrownBy(() -> start()).rootCause()
            .isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessageContaining("are sealed, and no key is set: shardedid.sealing.keys=null (at least 1)");
    }

    @Test
    void numbersInJson() {
        refused("'shardedid.json.as-string' must not be false where ids have another form than decimal: "
                + "shardedid.json.as-string=false, shardedid.form=base62; remove one of the keys",
                "--shardedid.form=base62", "--shardedid.json.as-string=off");
    }

    @Test
    void parameterThatSaysNothingOfItsEntity() {
        assertThatThrownBy(() -> start("--shardedid.form=sealed", "--shardedid.sealing.keys=" + KEY))
            .isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessageStartingWith("Could not choose the form of parameter 3 of '" + SnapshotController.class.getName()
                    + "#numbers(List, Optional, Long)': A sealed id needs its entity: ");
    }

    private static void refused(String message, String... arguments) {
        assertThatThrownBy(() -> start(arguments)).rootCause()
            .isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessage(message);
    }

    private static void start(String... arguments) {
        SpringApplication application = new SpringApplicationBuilder(FormsApplication.class)
            .web(WebApplicationType.SERVLET)
            .properties("server.port=0", "shardedid.worker.mode=fixed", "shardedid.worker.id=1",
                    "spring.jpa.open-in-view=false")
            .build();
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            context.getId();
        }
    }

}
