package io.shardedid.floor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.stream.Stream;

/**
 * The classes of this project beside the oldest Hibernate and its Jakarta Persistence
 * instead of those of the class path. Everything else is the class path's.
 */
public final class FloorClassLoader extends URLClassLoader {

    private static final List<String> OWN = List.of("io.shardedid.", "org.hibernate.", "jakarta.persistence.");

    private FloorClassLoader(URL[] urls) {
        super(urls, FloorClassLoader.class.getClassLoader());
    }

    /**
     * Opens the jars of a folder.
     * @param ours classes whose folders belong to it as well
     */
    public static FloorClassLoader over(Path jars, Class<?>... ours) {
        try (Stream<Path> files = Files.list(jars)) {
            return new FloorClassLoader(Stream
                .concat(Stream.of(ours)
                    .map((type) -> type.getProtectionDomain().getCodeSource())
                    .map(CodeSource::getLocation), files.sorted().map(FloorClassLoader::url))
                .toArray(URL[]::new));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    static boolean holds(String className) {
        return OWN.stream().anyMatch(className::startsWith);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!holds(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return (loaded != null) ? loaded : findClass(name);
        }
    }

    private static URL url(Path file) {
        try {
            return file.toUri().toURL();
        }
        catch (MalformedURLException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
