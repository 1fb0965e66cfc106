package photos

import io.shardedid.ShardedId
import io.shardedid.jackson.JsonShardedId
import io.shardedid.jackson.ShardedIdJackson2Module
import io.shardedid.jackson.ShardedIdJacksonModule
import io.shardedid.jackson.UnmarkedNumbers
import java.util.logging.Handler
import java.util.logging.LogRecord
import java.util.logging.Logger
import org.assertj.core.api.Assertions.assertThat
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

    @BeforeEach
    fun listen() = logger.addHandler(handler)

    @AfterEach
    fun stop() = logger.removeHandler(handler)

    private fun jackson3() = tools.jackson.module.kotlin.jacksonMapperBuilder()
        .addModule(ShardedIdJacksonModule(UnmarkedNumbers.watched({ true }, { null })))
        .build()

    private fun jackson2() = com.fasterxml.jackson.module.kotlin.jacksonMapperBuilder()
        .addModule(ShardedIdJackson2Module(UnmarkedNumbers.watched({ true }, { null })))
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
            "hidden value class" to HiddenValueView(PhotoId(id)),
            "of a superclass" to Leaf(id),
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
            marked value class | string | / number | WARN
            hidden value class | number | WARN
            of a superclass    | number | WARN
            """.trimIndent()
        )
    }

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
        val form = if (json.contains("\"$id\"")) "string" else "number"
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

    /** Kotlin hides the constructor with a value class. */
    data class HiddenValueView(@JsonShardedId val id: PhotoId)

    open class Base(@JsonShardedId val id: Long)

    /** Jackson asks no constructor of a superclass. */
    class Leaf(id: Long) : Base(id)

}
