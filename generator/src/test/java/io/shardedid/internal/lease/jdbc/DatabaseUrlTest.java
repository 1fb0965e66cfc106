package io.shardedid.internal.lease.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Properties;

import io.shardedid.ShardedIdConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DatabaseUrlTest {

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:h2:mem:x", "jdbc:h2:./x", "jdbc:h2:file:/x;WRITE_DELAY=0", "JDBC:H2:mem:x",
            "jdbc:hsqldb:mem:x", "jdbc:hsqldb:file:/x", "jdbc:hsqldb:res:x", "jdbc:hsqldb:.", "jdbc:hsqldb:/x",
            "jdbc:sqlite::memory:", "jdbc:sqlite:", "jdbc:sqlite:file::memory:?cache=shared", "jdbc:derby:memory:x",
            "jdbc:derby:x;create=true", "jdbc:tc:postgresql:18:///x", "jdbc:p6spy:h2:mem:x",
            "jdbc:log4jdbc:hsqldb:mem:x", "jdbc:otel:h2:file:/x", "jdbc:tracing:p6spy:h2:mem:x",
            "jdbc:p6spy:tc:mariadb:11:///x" })
    void onlyThisProcessReachesWhatIsInIt(String url) {
        assertThat(new DatabaseUrl(url).reach()).isEqualTo(DatabaseUrl.Reach.THIS_PROCESS);
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:h2:tcp://h/mem:x", "jdbc:h2:ssl://h/x", "jdbc:h2:file:/x;AUTO_SERVER=TRUE",
            "jdbc:h2:/x;write_delay=0;auto_server=true", "jdbc:hsqldb:hsql://h/x", "jdbc:hsqldb:hsqls://h/x",
            "jdbc:hsqldb:https://h/x", "jdbc:derby://h/x", "jdbc:sqlite:/x", "jdbc:postgresql://h/mem:x",
            "jdbc:mariadb://h/h2:mem:x", "jdbc:mysql://h/x", "jdbc:p6spy:h2:tcp://h/mem:x",
            "jdbc:otel:postgresql://h/x", "jdbc:aws-wrapper:postgresql://h/x",
            "jdbc:tc:postgresql:18:///x?TC_REUSABLE=true" })
    void othersReachAServer(String url) {
        assertThat(new DatabaseUrl(url).reach()).isEqualTo(DatabaseUrl.Reach.OTHERS);
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:acme:x", "jdbc:wrapper://h2:mem:x", "jdbc:", "h2:mem:x", "", "null",
            "jdbc:a/b:h2:mem:x" })
    void onlyAConnectionShowsTheRest(String url) {
        assertThat(new DatabaseUrl(url).reach()).isEqualTo(DatabaseUrl.Reach.UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource({ "jdbc:acme:x,jdbc:h2:mem:x,true", "jdbc:acme:x,jdbc:acme:x,false",
            "jdbc:tc:postgresql:18:///x,jdbc:postgresql://localhost:5/x,true",
            "jdbc:h2:/x;AUTO_SERVER=TRUE,jdbc:h2:/x,false", "jdbc:p6spy:h2:/x;AUTO_SERVER=TRUE,jdbc:h2:/x,false",
            ",jdbc:h2:/x,true", ",jdbc:postgresql://h/x,false", "jdbc:h2:tcp://h/x,jdbc:h2:tcp://h/x,false" })
    void whatIsTypedAndWhatTheConnectionSaysCount(String typed, String seen, boolean isPrivate) {
        assertThat(DatabaseUrl.isPrivate((typed != null) ? new DatabaseUrl(typed) : null, new DatabaseUrl(seen)))
            .isEqualTo(isPrivate);
    }

    @ParameterizedTest
    @CsvSource({ "jdbc:h2:mem:x,true", "jdbc:h2:./x,true", "jdbc:h2:file:/x,true", "jdbc:h2:tcp://h/x,false",
            "jdbc:h2:ssl://h/x,false", "jdbc:h2:/x;AUTO_SERVER=TRUE,true", "jdbc:hsqldb:mem:x,true",
            "jdbc:hsqldb:hsql://h/x,false", "jdbc:p6spy:h2:mem:x,true", "jdbc:postgresql://h/x,false",
            "jdbc:tc:postgresql:18:///x,false", "jdbc:sqlite::memory:,false" })
    void knowsWhichDatabaseIsEmbedded(String url, boolean embedded) {
        assertThat(new DatabaseUrl(url).isEmbedded()).isEqualTo(embedded);
    }

    @Test
    void settingsFollowTheName() {
        DatabaseUrl url = new DatabaseUrl("jdbc:p6spy:h2:file:/x;WRITE_DELAY=0; auto_server=true");
        assertThat(url.has("write_delay=0")).isTrue();
        assertThat(url.has("AUTO_SERVER=TRUE")).isTrue();
        assertThat(url.has("jdbc:p6spy:h2:file:/x")).isFalse();
    }

    @Test
    void severalHostsNeedTheSettingThatFindsThePrimary() {
        String hosts = "jdbc:postgresql://n1,n2:5433/feed";
        for (String url : List.of(hosts, hosts + "?targetServerType=any", hosts + "?user=targetServerType")) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> LeaseConnections.url(url, null, null).open(Duration.ofSeconds(1)))
                .satisfies((ex) -> {
                    assertThat(ex.problem().keys()).containsExactly("targetServerType");
                    assertThat(ex.problem().remedy()).contains("targetServerType=primary");
                });
        }
        Properties primary = new Properties();
        primary.setProperty("targetServerType", "primary");
        DatabaseUrl.requirePrimary(hosts, primary);
        for (String url : List.of(hosts + "?targetServerType=primary", hosts + "?a=b&targetServerType=master",
                "jdbc:postgresql://n1/feed?options=a,b", "jdbc:mariadb://n1,n2/feed")) {
            DatabaseUrl.requirePrimary(url, new Properties());
        }
    }

}
