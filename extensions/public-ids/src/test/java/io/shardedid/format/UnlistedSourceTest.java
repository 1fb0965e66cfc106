package io.shardedid.format;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import java.util.stream.Stream;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.jackson.IdTexts;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A tool that merges jars left the list of {@code ServiceLoader} out, and kept the names
 * of the keys: nothing writes other forms, and no number may leave in their place.
 */
class UnlistedSourceTest {

    private static final String REFUSAL = " needs an artifact that is not on the class path: "
            + "artifact=shardedid-public-ids (ids would leave as numbers); add 'io.shardedid:shardedid-public-ids', "
            + "or remove the ";

    @Test
    void refusesTheKeyAndTheAnnotation() throws Exception {
        URL[] all = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(UnlistedSourceTest::url)
            .toArray(URL[]::new);
        try (Unlisting loader = new Unlisting(all)) {
            Object failures = loader.loadClass(Attempts.class.getName()).getMethod("failures").invoke(null);

            assertThat(failures).isEqualTo("'shardedid.form'" + REFUSAL + "key\n'@PublicId' on '"
                    + Photo.class.getName() + "'" + REFUSAL + "annotation");
        }
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toUri().toURL();
        }
        catch (MalformedURLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Runs in the other class loader. */
    public static final class Attempts {

        private Attempts() {
        }

        /** Returns the messages of the exceptions. */
        public static String failures() {
            return failure(() -> IdTexts.of(ShardedIdSettings.from(Map.of("shardedid.form", "base62")))) + "\n"
                    + failure(() -> IdTexts.unconfigured().forEntity(Photo.class));
        }

        private static String failure(Runnable attempt) {
            try {
                attempt.run();
                return "";
            }
            catch (ShardedIdConfigurationException ex) {
                return String.valueOf(ex.getMessage());
            }
        }

    }

    private static final class Unlisting extends URLClassLoader {

        Unlisting(URL[] all) {
            super(all, ClassLoader.getPlatformClassLoader());
        }

        @Override
        public Enumeration<URL> findResources(String name) throws IOException {
            return name.equals("META-INF/services/" + IdTexts.class.getName()) ? Collections.emptyEnumeration()
                    : super.findResources(name);
        }

    }

    @PublicId(form = PublicIdForm.SEALED)
    static class Photo {

    }

}
