package io.shardedid.spring.web;

import java.beans.PropertyDescriptor;
import java.beans.PropertyEditorSupport;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.jackson.IdText;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonIds;
import io.shardedid.key.ShardedAttribute;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.InitBinder;

/**
 * Reads the ids of entities that are form objects, or attributes of form objects, where
 * they have another form than the plain number and a setter takes them: {@code id},
 * {@code photo.id}, {@code photos[0].id}.
 */
@ControllerAdvice
final class FormObjects {

    private static final Log LOG = LogFactory.getLog(FormObjects.class);

    /** How many attributes a path has before the id. */
    private static final int DEEPEST = 3;

    private final IdTexts formats;

    private final ConcurrentHashMap<Class<?>, List<Id>> ids = new ConcurrentHashMap<>();

    FormObjects(IdTexts formats) {
        this.formats = formats;
    }

    /**
     * Has ids read by their form.
     * @throws ShardedIdConfigurationException if a constructor takes one, to which Spring
     * hands what the request has
     */
    @InitBinder
    void readIds(WebDataBinder binder) {
        // a target that has to be made is not there yet
        Class<?> target = (binder.getTarget() != null) ? binder.getTarget().getClass()
                : (binder.getTargetType() != null) ? binder.getTargetType().toClass() : Object.class;
        if (!target.getName().startsWith("java.")) {
            List<Id> read = this.ids.computeIfAbsent(target, this::ids);
            if (binder.getTarget() == null) {
                read.stream().filter(Id::constructed).findFirst().ifPresent((id) -> refuse(id, target));
            }
            read.forEach((id) -> binder.registerCustomEditor(id.type(), id.path(), new Editor(id)));
        }
    }

    private static void refuse(Id id, Class<?> target) {
        throw new ShardedIdConfigurationException(
                "Form object '%s' would take the number of an id: field='%s', form=%s (a constructor takes it)"
                    .formatted(target.getName(), id.path(), id.format()),
                "take the id by a setter, or in an attribute of the form object with '@JsonShardedId'");
    }

    private List<Id> ids(Class<?> type) {
        List<Id> found = new ArrayList<>();
        find("", type, found);
        return List.copyOf(found);
    }

    private void find(String path, Class<?> type, List<Id> found) {
        Map<String, Class<?>> parameters = constructorParameters(type);
        ShardedAttribute.of(type)
            .forEach((attribute) -> this.formats.forAttribute(type, attribute.name(), attribute.type())
                .filter((format) -> !format.plain())
                .ifPresent((format) -> found.add(new Id(path + attribute.name(), attribute.type(), format,
                        parameters.containsKey(attribute.name())))));
        if (StringUtils.countOccurrencesOf(path, ".") < DEEPEST) {
            parameters.forEach((name, inner) -> findInside(path + name + ".", inner, found));
            for (PropertyDescriptor property : BeanUtils.getPropertyDescriptors(type)) {
                findInside(path + property.getName() + ".", element(property, type), found);
            }
        }
    }

    private void findInside(String path, Class<?> type, List<Id> found) {
        if (!type.getName().startsWith("java.") && !BeanUtils.isSimpleProperty(type)) {
            find(path, type, found);
        }
    }

    /** Of the constructor that Spring would call. */
    private static Map<String, Class<?>> constructorParameters(Class<?> type) {
        Map<String, Class<?>> parameters = new HashMap<>();
        try {
            Constructor<?> constructor = BeanUtils.getResolvableConstructor(type);
            Class<?>[] types = constructor.getParameterTypes();
            if (types.length > 0) {
                @Nullable String[] names = BeanUtils.getParameterNames(constructor);
                for (int i = 0; i < types.length; i++) {
                    parameters.put(Objects.requireNonNull(names[i]), types[i]);
                }
            }
        }
        catch (IllegalStateException ex) {
            // Spring makes no such object either
            LOG.debug("Form objects of '%s' are not made: %s".formatted(type.getName(), ex.getMessage()));
        }
        return parameters;
    }

    /** The type of an attribute, or that of its elements. */
    private static Class<?> element(PropertyDescriptor property, Class<?> owner) {
        if (property.getReadMethod() == null) {
            return Object.class;
        }
        ResolvableType type = ResolvableType.forMethodReturnType(property.getReadMethod(), owner);
        ResolvableType element = type.isArray() ? type.getComponentType() : type.as(Iterable.class).getGeneric(0);
        return ((element != ResolvableType.NONE) ? element : type).toClass();
    }

    /**
     * An id that a form may name.
     *
     * @param path the name of its field, without indexes
     * @param type the type of the attribute
     * @param format how it is read
     * @param constructed whether a constructor takes it
     */
    private record Id(String path, Class<?> type, IdText format, boolean constructed) {
    }

    /** Reads an id, and nothing from an empty field. */
    private static final class Editor extends PropertyEditorSupport {

        private final Id id;

        Editor(Id id) {
            this.id = id;
        }

        @Override
        public void setAsText(String text) {
            setValue(StringUtils.hasText(text) ? JsonIds.read(text, this.id.format(), LOG::debug) : null);
        }

        @Override
        public String getAsText() {
            return (getValue() instanceof Long number) ? this.id.format().format(number) : "";
        }

    }

}
