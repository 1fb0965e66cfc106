package io.shardedid.spring.web;

import java.beans.PropertyDescriptor;
import java.beans.PropertyEditorSupport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

import io.shardedid.jackson.IdText;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonIds;
import io.shardedid.key.ShardedAttribute;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

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

    @InitBinder
    void readIds(WebDataBinder binder) {
        // a target that has to be made is not there yet
        Class<?> target = (binder.getTarget() != null) ? binder.getTarget().getClass()
                : (binder.getTargetType() != null) ? binder.getTargetType().toClass() : Object.class;
        if (!target.getName().startsWith("java.")) {
            this.ids.computeIfAbsent(target, this::ids)
                .forEach((id) -> binder.registerCustomEditor(id.type(), id.path(), new Editor(id)));
        }
    }

    private List<Id> ids(Class<?> type) {
        List<Id> found = new ArrayList<>();
        find("", type, found);
        return List.copyOf(found);
    }

    private void find(String path, Class<?> type, List<Id> found) {
        ShardedAttribute.of(type)
            .forEach((attribute) -> this.formats.forAttribute(type, attribute.name(), attribute.type())
                .filter((format) -> !format.plain())
                .ifPresent((format) -> found.add(new Id(path + attribute.name(), attribute.type(), format))));
        if (StringUtils.countOccurrencesOf(path, ".") < DEEPEST) {
            for (PropertyDescriptor property : BeanUtils.getPropertyDescriptors(type)) {
                Class<?> inner = element(property, type);
                if (!inner.getName().startsWith("java.") && !BeanUtils.isSimpleProperty(inner)) {
                    find(path + property.getName() + ".", inner, found);
                }
            }
        }
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
     */
    private record Id(String path, Class<?> type, IdText format) {
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
