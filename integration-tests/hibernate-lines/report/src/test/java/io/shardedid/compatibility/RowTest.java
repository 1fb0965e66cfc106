package io.shardedid.compatibility;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RowTest {

    @ParameterizedTest
    @CsvSource({ "mergesANewEntity, merges a new entity", "insertsByHQLValues, inserts by HQL values",
            "takesUuidKeys, takes uuid keys" })
    void saysAMethodInWords(String method, String words) {
        assertThat(new Row("OperationsTest", method).words()).isEqualTo(words);
    }

    @Test
    void saysAClassInWords() {
        assertThat(Row.title("ShardKeyFormsTest")).isEqualTo("Shard key forms");
        assertThat(Row.title("MappingsTest$Nested")).isEqualTo("Mappings nested");
    }

}
