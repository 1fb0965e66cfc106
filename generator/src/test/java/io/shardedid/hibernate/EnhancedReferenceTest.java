package io.shardedid.hibernate;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

import io.shardedid.ShardedIdEngine;
import org.hibernate.Hibernate;
import org.hibernate.bytecode.enhance.spi.DefaultEnhancementContext;
import org.hibernate.bytecode.enhance.spi.Enhancer;
import org.hibernate.bytecode.internal.BytecodeProviderInitiator;
import org.hibernate.engine.spi.PersistentAttributeInterceptable;
import org.hibernate.proxy.HibernateProxy;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Entities whose bytecode the build has enhanced: a reference is an instance of the class
 * itself, without its state.
 */
class EnhancedReferenceTest {

    @Test
    void enhancedReferenceHandsItsShardOn() throws Exception {
        ClassLoader enhancing = new EnhancingClassLoader();
        Class<?> userClass = enhancing.loadClass(EnhancedUser.class.getName());
        Class<?> photoClass = enhancing.loadClass(EnhancedPhoto.class.getName());
        try (ShardedIdEngine ids = TestUnit.engine(1);
                TestUnit unit = TestUnit.loadedBy(enhancing, ids, userClass, photoClass)) {
            EnhancedRow user = (EnhancedRow) newInstance(userClass);
            unit.persist(user);
            EnhancedRow photo = (EnhancedRow) newInstance(photoClass);
            unit.jdbc.drain();
            unit.inTransaction((session) -> {
                Object reference = session.getReference(userClass, user.id());
                assertThat(reference).isInstanceOf(PersistentAttributeInterceptable.class)
                    .isNotInstanceOf(HibernateProxy.class);
                photo.setOwner(reference);
                session.persist(photo);
                assertThat(Hibernate.isInitialized(reference)).isFalse();
            });
            List<String> executed = unit.jdbc.drain().stream().filter((entry) -> entry.startsWith("execute")).toList();
            assertThat(executed).singleElement().asString().contains("insert");
            assertThat(ids.shardOf(photo.id())).isEqualTo(ids.shardOf(user.id()));
        }
    }

    private static Object newInstance(Class<?> type) throws ReflectiveOperationException {
        return type.getConstructor().newInstance();
    }

    /** Enhances the entities of this test, as the plugin of a build does. */
    private static final class EnhancingClassLoader extends ClassLoader {

        private final Enhancer enhancer = BytecodeProviderInitiator.buildDefaultBytecodeProvider()
            .getEnhancer(new DefaultEnhancementContext() {
                @Override
                public ClassLoader getLoadingClassLoader() {
                    return EnhancedReferenceTest.class.getClassLoader();
                }
            });

        EnhancingClassLoader() {
            super(EnhancedReferenceTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(EnhancedUser.class.getName()) && !name.equals(EnhancedPhoto.class.getName())) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return (loaded != null) ? loaded : enhanced(name);
        }

        private Class<?> enhanced(String name) {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] enhanced = this.enhancer.enhance(name, in.readAllBytes());
                return defineClass(name, enhanced, 0, enhanced.length);
            }
            catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }

    }

}
