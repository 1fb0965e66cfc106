package photos

import io.shardedid.ShardedId
import io.shardedid.PublicId
import io.shardedid.PublicIdForm
import io.shardedid.format.PublicIdFormats
import io.shardedid.format.SealingKeys
import io.shardedid.jackson.JsonShardedId
import io.shardedid.jackson.ShardedIdJackson2Module
import io.shardedid.jackson.ShardedIdJacksonModule
import io.shardedid.jackson.UnmarkedNumbers
import java.util.function.BiFunction
import java.util.logging.Handler
import java.util.logging.LogRecord
import java.util.logging.Logger
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import tools.jackson.module.kotlin.readValue

/** What becomes of an id in the classes of Kotlin, by both Jacksons, and whether the log says so. */
class DataClassTest {

    private val id = 2217813737473025833

    private val lines = mutableListOf<String>()

    private val handler = object : Handler() {
        override fun publish(line: LogRecord) {
            lines.add(line.message)
        }

        override fun flush() = Unit

        override fun close() = Unit
    }

    private val logger = Logger.getLogger(UnmarkedNumbers::class.java.name)

    private val formats =
        PublicIdFormats.of(PublicIdForm.DECIMAL, SealingKeys.of("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="))

    private val nothingMore = BiFunction<Class<*>, List<Class<*>>, Map<String, Class<*>>> { _, _ -> mapOf() }

    @BeforeEach
    fun listen() = logger.addHandler(handler)

    @AfterEach
    fun stop() = logger.removeHandler(handler)

    private fun jackson3() = tools.jackson.module.kotlin.jacksonMapperBuilder()
        .addModule(ShardedIdJacksonModule(nothingMore, UnmarkedNumbers.watched { true }, formats))
        .build()

    private fun jackson2() = com.fasterxml.jackson.module.kotlin.jacksonMapperBuilder()
        .addModule(ShardedIdJackson2Module(nothingMore, UnmarkedNumbers.watched { true }, formats))
        .build()

    @Test
    fun shapes() {
        val photo = Photo(7, "dawn")
        photo.id = id
        val shapes = mapOf(
            "entity" to photo,
            "data class" to View(id),
            "nullable" to NullableView(id),
            "list" to ListView(listOf(id)),
            "value class" to ValueView(PhotoId(id)),
            "marked" to MarkedView(id),
            "marked, nullable" to MarkedNullableView(id),
            "marked, default" to MarkedDefaultView(id),
            "marked getter" to MarkedGetterView(id),
            "marked list" to MarkedListView(listOf(id)),
            "marked value class" to MarkedValueView(PhotoId(id)),
            "sealed entity" to Secret(id),
            "sealed" to SecretView(id),
            "sealed list" to SecretListView(listOf(id)),
        )

        val table = shapes.map { (name, shape) ->
            val both = writers().map { write -> line { write(shape) } }
            name.padEnd(18) + " | " + both.distinct().joinToString(" / ")
        }

        assertThat(table.joinToString("\n")).isEqualTo(
            """
            entity             | string |
            data class         | number | WARN
            nullable           | number | WARN
            list               | number | WARN
            value class        | number | WARN
            marked             | string |
            marked, nullable   | string |
            marked, default    | string |
            marked getter      | string |
            marked list        | string |
            marked value class | string |
            sealed entity      | sealed |
            sealed             | sealed |
            sealed list        | sealed |
            """.trimIndent()
        )
    }

    /** Kotlin hides the constructor with a value class, and Jackson asks no constructor of a superclass. */
    @Test
    fun markThatJacksonDoesNotSeeIsRefused() {
        for (write in writers()) {
            assertThatThrownBy { write(SecretValueView(PhotoId(id))) }
                .hasMessageContaining(hidden(SecretValueView::class.java, SecretValueView::class.java))
            assertThatThrownBy { write(SecretLeaf(id)) }
                .hasMessageContaining(hidden(SecretLeaf::class.java, SecretBase::class.java))
            assertThatThrownBy { write(SecretGetterView(PhotoId(id))) }.hasMessageContaining(
                "Could not give attribute 'id' of '${SecretGetterView::class.java.name}' the form of its ids: form=sealed"
            )
        }
        val message = hidden(SecretValueView::class.java, SecretValueView::class.java)
        assertThatThrownBy { jackson3().readValue<SecretValueView>("{}") }.hasMessageContaining(message)
        assertThatThrownBy { jackson2().readValue("{}", SecretValueView::class.java) }.hasMessageContaining(message)
    }

    private fun hidden(bean: Class<*>, marked: Class<*>) =
        "Could not see the ids of '${bean.name}': '@JsonShardedId' stands on the constructor of '${marked.name}' " +
            "(Jackson does not look there); put it on the field or the getter, in Kotlin '@get:JsonShardedId'"

    @Test
    fun readsWhatItWrites() {
        val json = "{\"id\":\"$id\"}"

        assertThat(jackson3().readValue<MarkedView>(json)).isEqualTo(MarkedView(id))
        assertThat(jackson2().readValue(json, MarkedView::class.java)).isEqualTo(MarkedView(id))
    }

    private fun writers() = listOf<(Any) -> String>(jackson3()::writeValueAsString, jackson2()::writeValueAsString)

    private fun line(write: () -> String): String {
        lines.clear()
        val json = write()
        val warned = lines.any { it.startsWith("JSON carries what looks like an id as a number") }
        val form = if (json.contains("\"$id\"")) "string" else if (json.contains("$id")) "number" else "sealed"
        return "$form |" + if (warned) " WARN" else ""
    }

    data class View(val id: Long)

    data class NullableView(val id: Long?)

    data class ListView(val ids: List<Long>)

    @JvmInline
    value class PhotoId(val value: Long)

    data class ValueView(val id: PhotoId)

    data class MarkedView(@JsonShardedId val id: Long)

    data class MarkedNullableView(@JsonShardedId val id: Long?)

    data class MarkedGetterView(@get:JsonShardedId val id: Long)

    data class MarkedListView(@JsonShardedId val ids: List<Long>)

    data class MarkedDefaultView(@JsonShardedId val id: Long = 5, val name: String = "x")

    data class MarkedValueView(@get:JsonShardedId val id: PhotoId)

    data class SecretValueView(@JsonShardedId(Secret::class) val id: PhotoId)

    open class SecretBase(@JsonShardedId(Secret::class) val id: Long)

    class SecretLeaf(id: Long) : SecretBase(id)

    data class SecretGetterView(@get:JsonShardedId(Secret::class) val id: PhotoId)

    @PublicId(form = PublicIdForm.SEALED)
    class Secret(@ShardedId var id: Long?)

    data class SecretView(@JsonShardedId(Secret::class) val id: Long)

    data class SecretListView(@JsonShardedId(Secret::class) val ids: List<Long>)

}
