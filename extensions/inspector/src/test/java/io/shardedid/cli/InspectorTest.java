package io.shardedid.cli;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.StringJoiner;
import java.util.UUID;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerIdRange;
import io.shardedid.format.PublicIdFormat;
import io.shardedid.internal.config.LeaseEnvironment;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.LeaseRegion;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

class InspectorTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path folder;

    private int run(String... arguments) {
        return new Inspector(new PrintStream(this.out, true, UTF_8), new PrintStream(this.err, true, UTF_8),
                Instant.parse("2026-01-01T00:00:00Z"))
            .run(arguments);
    }

    private String out() {
        return this.out.toString(UTF_8).replace("\r", "");
    }

    private String err() {
        return this.err.toString(UTF_8).replace("\r", "");
    }

    @Test
    void takesAnIdApart() {
        assertThat(run("parse", "2217813737473025833", "--shardedid.epoch=2011-01-01T00:00:00Z",
                "--shardedid.layout.preset=instagram-exact"))
            .isZero();
        assertThat(out()).isEqualTo("""
                id        2217813737473025833
                time      2019-05-19T00:00:00Z
                shard     1001
                sequence  809
                """);
    }

    @Test
    void takesAUuidApart() {
        assertThat(run("parse", "019B4F1A-6500-7123-87D6-000600000001")).isZero();
        assertThat(out()).isEqualTo("""
                id        019b4f1a-6500-7123-87d6-000600000001
                version   7
                time      2025-12-24T06:44:48.512Z
                shard     1003
                workerId  3
                sequence  291
                """);
    }

    @Test
    void saysWhyAUuidCanBeNoId() {
        assertThat(
                run("parse", "--json", "936da01f-9abd-4d9d-80c7-02af85c822a8", "01b8dac5-b400-7000-bfff-ffffffffffff",
                        "00000000-0001-7000-8000-000000000000", "019aab8d-b1eb-7abc-c6af-7ddfffffffff"))
            .isEqualTo(Inspector.DOUBTFUL);
        assertThat(out()).isEqualTo("""
                [
                  {"id": "936da01f-9abd-4d9d-80c7-02af85c822a8", "version": 4, \
                "problems": "its version is 4 and its variant 2, and only version 7 of variant 2 carries a shard"},
                  {"id": "01b8dac5-b400-7000-bfff-ffffffffffff", "version": 7, "time": "2030-01-01T00:00:00Z", \
                "shard": 8191, "workerId": 65535, "sequence": 0, \
                "problems": "its time, 2030-01-01T00:00:00Z, has not come yet; its shard, 8191, is outside [0, 1999]; \
                its worker, 65535, is outside [0, 127]"},
                  {"id": "00000000-0001-7000-8000-000000000000", "version": 7, "time": "1970-01-01T00:00:00.001Z", \
                "shard": 0, "workerId": 0, "sequence": 0, \
                "problems": "its time, 1970-01-01T00:00:00.001Z, is before 2025-01-01T00:00:00Z, from which on ids \
                are made here"},
                  {"id": "019aab8d-b1eb-7abc-c6af-7ddfffffffff", "version": 7, \
                "problems": "its version is 7 and its variant 6, and only version 7 of variant 2 carries a shard"}
                ]
                """);
    }

    @Test
    void saysWhyANumberCanBeNoId() {
        long future = IdLayout.standard()
            .compose(IdLayout.standard().tickAt(Instant.parse("2030-05-01T00:00:00Z")), 2000, 0, 0);

        assertThat(run("parse", "--json", "" + future, "-5", "7")).isEqualTo(Inspector.DOUBTFUL);
        assertThat(out()).isEqualTo("""
                [
                  {"id": "%s", "time": "2030-05-01T00:00:00Z", "shard": 2000, "workerId": 0, "sequence": 0, \
                "problems": "its time, 2030-05-01T00:00:00Z, has not come yet; its shard, 2000, is outside [0, 1999]"},
                  {"id": "-5", "problems": "it is negative, which no id is"},
                  {"id": "7", "time": "2025-01-01T00:00:00Z", "shard": 0, "workerId": 0, "sequence": 7, \
                "older": "probably", "problems": "it is short, and ids have 41 significant bits or more; \
                'shardedid.older-ids-before' says since when ids are made"}
                ]
                """.formatted(future));
        assertThat(run("parse", "9007199254740993", "--shardedid.layout.preset=many-shards")).isZero();
    }

    /** A number from before is no mistake, so that a script goes on. */
    @Test
    void saysThatANumberIsFromBefore() {
        assertThat(run("parse", "1")).isZero();
        assertThat(out()).isEqualTo("""
                id        1
                time      2025-01-01T00:00:00Z
                shard     0
                workerId  0
                sequence  1
                older     probably
                problems  it is short, and ids have 41 significant bits or more; \
                'shardedid.older-ids-before' says since when ids are made
                """);
        this.out.reset();
        long before = IdLayout.standard().firstIdAt(Instant.parse("2025-05-31T23:59:59.999Z"));
        String line = "--shardedid.older-ids-before=2025-06-01T00:00:00Z";

        assertThat(run("parse", "--json", "" + before, line)).isZero();
        assertThat(out()).endsWith(
                """
                        "sequence": 0, "older": "yes", \
                        "problems": "its time, 2025-05-31T23:59:59.999Z, is before 2025-06-01T00:00:00Z, from which on ids are made here"}
                        ]
                        """);
        this.out.reset();
        assertThat(run("parse", "" + (before + (1 << 23)), line)).isZero();
        assertThat(out()).doesNotContain("problems");
    }

    @Test
    void showsTheLayoutOfAnApplication() throws Exception {
        Path file = Files.writeString(this.folder.resolve("application.properties"),
                "spring.application.name=photos\nshardedid.layout.preset=many-shards\nshardedid.shards=512\n");

        assertThat(run("layout", "--config=" + file, "--shardedid.layout.preset=snowflake", "--shardedid.shards=1"))
            .isZero();
        assertThat(out()).isEqualTo("""
                fields    time 41, worker 10, sequence 12
                epoch     2010-11-04T01:42:54.657Z
                tick      PT0.001S
                ends      2080-07-10T17:30:30.208Z
                """);
    }

    @Test
    void showsTheIdsOfATimeWindow() {
        assertThat(run("window", "2025-01-01T00:00:00Z", "2025-01-01T00:00:00.001Z", "--json")).isZero();
        assertThat(out()).isEqualTo("""
                [
                  {"from": "2025-01-01T00:00:00Z", "to": "2025-01-01T00:00:00.001Z", "firstId": "0", \
                "lastId": "8388607", "sql": "id BETWEEN 0 AND 8388607"}
                ]
                """);
    }

    @Test
    void listsThePresets() {
        assertThat(run("presets")).isZero();
        assertThat(out()).contains("preset    standard\nfields    time 40, shard 11, worker 7, sequence 5\n",
                "preset    discord\nfields    time 41, worker 10, sequence 12\nepoch     2015-01-01T00:00:00Z",
                "readOnly  its worker and process ids are given by Discord");
    }

    @Test
    void writesAnIdInEveryForm() {
        assertThat(run("format", "2217813737473025833")).isZero();
        assertThat(out()).isEqualTo("""
                id        2217813737473025833
                crockford 1XHT1V000Z9S9
                base62    2dpbqYax89p
                base32    %s
                base36    %s
                base58    %s
                base64    MjIxNzgxMzczNzQ3MzAyNTgzMw==
                """.formatted(BwmarrinBase.BASE32.write(2217813737473025833L), Long.toString(2217813737473025833L, 36),
                BwmarrinBase.BASE58.write(2217813737473025833L)));
    }

    @Test
    void takesAnIdOfAnotherFormApart() {
        String[] texts = { "crockford", "1xht1v000z9s9", "base62", "2dpbqYax89p", "base64",
                "MjIxNzgxMzczNzQ3MzAyNTgzMw==", "decimal", "2217813737473025833" };
        for (int i = 0; i < texts.length; i += 2) {
            assertThat(run("parse", texts[i + 1], "--form=" + texts[i], "--shardedid.epoch=2011-01-01T00:00:00Z",
                    "--shardedid.layout.preset=instagram-exact"))
                .as(texts[i])
                .isZero();
            assertThat(out()).startsWith("id        2217813737473025833\ntime      2019-05-19T00:00:00Z\n");
            this.out.reset();
        }
    }

    @Test
    void passesOverPrefixes() {
        assertThat(run("parse", "pho_1XHT1V000Z9S9", "--form=crockford")).isNotEqualTo(Inspector.REFUSED);
        assertThat(run("parse", "pho_2217813737473025833")).isNotEqualTo(Inspector.REFUSED);
        assertThat(out()).startsWith("id        2217813737473025833\n");
        this.out.reset();
        refuses("id must be a whole number of 64 bits: id='Pho_7'", "parse", "Pho_7");
    }

    /** The examples of its README, which one machine made: in base 62, and as bytes. */
    @Test
    void takesIdsOfBoundarysFlakeApart() {
        assertThat(run("parse", "8HFaR8qWtRlGDHnO57", "00000134d4212d43109add5e0e8f0000",
                "00000134-d421-2d43-109a-dd5e0e8f0000", "--layout=flake"))
            .isZero();
        assertThat(out()).isEqualTo("""
                id        8HFaR8qWtRlGDHnO57
                time      2012-01-12T22:56:53.776Z
                mac       10:9a:dd:5e:0e:8f
                sequence  5

                id        00000134d4212d43109add5e0e8f0000
                time      2012-01-12T22:54:31.235Z
                mac       10:9a:dd:5e:0e:8f
                sequence  0

                id        00000134-d421-2d43-109a-dd5e0e8f0000
                time      2012-01-12T22:54:31.235Z
                mac       10:9a:dd:5e:0e:8f
                sequence  0
                """);
    }

    @Test
    void doubtsFlakesOfTheFutureAndRefusesOtherTexts() {
        assertThat(run("parse", "7fffffffffffffff109add5e0e8f0000", "--layout=flake")).isEqualTo(Inspector.DOUBTFUL);
        assertThat(out()).contains("problems  its time has not come yet").doesNotContain("time  ");
        this.out.reset();
        for (String text : new String[] { "8HFa-R8q", "zzzzzzzzzzzzzzzzzzzzzz", "" }) {
            refuses("id of flake must be 128 bits in base 62 or in 32 hexadecimal digits: id='%s'".formatted(text),
                    "parse", text, "--layout=flake");
        }
        refuses("Option '--layout=flake' belongs to the command parse: command='layout'", "layout", "--layout=flake");
        assertThat(run("presets")).isZero();
        assertThat(out()).contains("preset    flake\nfields    time 64, mac 48, sequence 16\n",
                "readOnly  it shows the MAC address of the machine that made it");
    }

    @Test
    void refusesFormsThatMakeNoSense() {
        refuses("form must be one of decimal, crockford, base62, base32, base36, base58, base64: form='hex'", "parse",
                "7", "--form=hex");
        refuses("Could not read an id: text='7' (it must be 13 characters of Crockford's base 32, up to 7ZZZZZZZZZZZZ); "
                + "take the text as it was given out", "parse", "7", "--form=crockford");
        refuses("Could not read an id: text='l' (it must be a base58 of bwmarrin/snowflake)", "parse", "l",
                "--form=base58");
        refuses("Option '--form' needs a value: '--form=…'", "parse", "7", "--form");
        refuses("Option '--form' belongs to the command parse: command='format'", "format", "7", "--form=base58");
        refuses("format needs at least one id", "format");
        refuses("id must be >= 0 in the form crockford: id=-5; write it in the form decimal or sealed", "format", "-5");
    }

    @Test
    void refusesWhatMakesNoSense() {
        refuses("command must be one of parse, format, layout, window, presets, " + "change, regions: command='decode'",
                "decode");
        refuses("parse needs at least one id", "parse");
        refuses("id must be a whole number of 64 bits: id='9223372036854775808'", "parse", "9223372036854775808");
        refuses("id must be a whole number of 64 bits: id='+7'", "parse", "+7");
        refuses("id must be a whole number of 64 bits: id='\u0667'", "parse", "\u0667");
        refuses("Unknown option: '--yaml'", "parse", "7", "--yaml");
        refuses("window needs two instants, FROM and TO", "window", "2025-01-01T00:00:00Z");
        refuses("instant must be in ISO form with a zone, as 2026-01-01T00:00:00Z: instant='yesterday'", "window",
                "yesterday", "2025-01-01T00:00:00Z");
        refuses("FROM must not be after TO: from=2026-01-01T00:00:00Z, to=2025-01-01T00:00:00Z", "window",
                "2026-01-01T00:00:00Z", "2025-01-01T00:00:00Z");
        refuses("layout must be one of standard, many-shards, many-processes, instagram-exact, dense, javascript, snowflake, sonyflake, discord, "
                + "mastodon, tsid, simpleflake, flake: layout='twitter'", "layout", "--layout=twitter");
        refuses("Could not read the configuration: file='none.properties' "
                + "(java.nio.file.NoSuchFileException: none.properties)", "layout", "--config=none.properties");
        assertThat(run()).isEqualTo(Inspector.REFUSED);
        assertThat(err()).startsWith("Usage: ");
    }

    @Test
    void wrongPresetNamesListTheRightOnes() {
        assertThat(run("layout", "--shardedid.layout.preset=twitter")).isEqualTo(Inspector.REFUSED);
        assertThat(err()).contains("standard, many-shards, many-processes, ", "shardedid.layout.preset='twitter'");
        assertThat(out()).isEmpty();
    }

    @Test
    void layoutOfAnotherSystemIsNoPresetButReadsItsIds() {
        assertThat(run("parse", "103270115826048975", "--shardedid.layout.preset=mastodon"))
            .isEqualTo(Inspector.REFUSED);
        assertThat(err()).contains("shardedid.layout.preset='mastodon'");
        assertThat(run("parse", "103270115826048975", "--layout=mastodon")).isZero();
        assertThat(out()).isEqualTo("""
                id        103270115826048975
                time      2019-12-08T03:48:33.849Z
                sequence  40911
                """);
    }

    @Test
    void epochMovesANamedLayout() {
        assertThat(run("parse", "0", "--layout=tsid", "--shardedid.epoch=2022-01-01T00:00:00Z")).isZero();
        assertThat(out()).contains("time      2022-01-01T00:00:00Z\nworkerId  0\n");
    }

    @Test
    @Tag("proof") // two changes wait for real
    void givesWorkerIdsToASecondLeaseTable() throws IOException {
        String europe = keys("europe");
        String asia = keys("asia");
        open(europe).close();
        Files.writeString(Path.of(europe), "shardedid.worker.lease.worker-ids=0-63\n", StandardOpenOption.APPEND);
        Files.writeString(Path.of(asia), "shardedid.worker.lease.worker-ids=64-126\n", StandardOpenOption.APPEND);

        assertThat(run("change", "--from=" + europe, "--config=" + asia)).isEqualTo(Inspector.REFUSED);
        assertThat(err()).contains("change that one first");
        assertThat(run("change", "--config=" + europe)).isZero();
        assertThat(out()).containsPattern("layout +epoch=\\S+,mode=plain,workers=0-63\nfirst +20\\S+Z\n");
        assertThat(run("change", "--from=" + europe, "--config=" + asia)).isZero();
        this.out.reset();
        assertThat(run("regions", europe, asia)).isZero();
        assertThat(out()).contains("workers   0-63\n", "workers   64-126\n").doesNotContain("problems");
        assertThat(run("regions", europe, europe)).isEqualTo(Inspector.DOUBTFUL);
        try (ShardedIdEngine ids = open(asia)) {
            assertThat(IdLayout.standard().parse(ids.next(5)).worker()).isBetween(64, 126);
        }
    }

    @Test
    void regionsMayShareNoWorkerIdAtAll() {
        LeaseRegion europe = new LeaseRegion("europe", "layout", new WorkerIdRange(0, 63));
        LeaseRegion asia = new LeaseRegion("asia", "layout", new WorkerIdRange(63, 126));
        assertThat(europe.problemWith(asia)).isPresent();
        assertThat(asia.problemWith(europe)).isPresent();
        assertThat(europe.problemWith(new LeaseRegion("asia", "layout", new WorkerIdRange(64, 126)))).isEmpty();
    }

    @Test
    void rangesOfWorkerIdsAreDatacentersInTheLayoutOfSnowflake() throws IOException {
        String keys = keys("datacenter");
        Files.writeString(Path.of(keys),
                "shardedid.layout.preset=snowflake\nshardedid.shards=1\nshardedid.worker.lease.worker-ids=32-63\n",
                StandardOpenOption.APPEND);
        try (ShardedIdEngine first = open(keys)) {
            run("parse", "" + first.next(0), "--config=" + keys);
            assertThat(out()).contains("workerId  32\ndatacenter 1\nworkerInDatacenter 0\n");
        }
        run("parse", "1541815603606036480", "--json", "--layout=snowflake");
        assertThat(out()).contains("\"workerId\": 378, \"datacenter\": 11, \"workerInDatacenter\": 26");
        this.out.reset();
        run("parse", "1541815603606036480", "--layout=discord");
        assertThat(out()).doesNotContain("datacenter");
    }

    @Test
    void changesNothingWithoutAConfiguration() throws IOException {
        Path nothing = Files.writeString(this.folder.resolve("nothing"), "");
        refuses("change needs the new keys of the application", "change", "16-30", "--config=" + nothing);
        refuses("regions needs a file for each lease table", "regions", nothing.toString());
        refuses("Option '--from' belongs to the command change: command='layout'", "layout", "--from=" + nothing);
        assertThat(run("change", "--config=" + nothing)).isEqualTo(Inspector.REFUSED);
        assertThat(err()).contains("'shardedid.worker.lease.url'");
    }

    private String keys(String name) throws IOException {
        return Files
            .writeString(this.folder.resolve(name),
                    "shardedid.worker.lease.promoted-clock-behind=0s\nshardedid.worker.lease.url=jdbc:h2:mem:" + name
                            + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;INIT=CREATE SCHEMA IF NOT EXISTS ids\n"
                            + "shardedid.worker.lease.table=ids.shardedid_worker\n")
            .toString();
    }

    private static ShardedIdEngine open(String file) {
        ShardedIdSettings settings = ShardedIdSettings.from(CommandLine.read(file));
        return settings.builder().workers(settings.workers(LeaseEnvironment.UNKNOWN)).open();
    }

    @Test
    void showsItsUsageAndItsVersion() {
        assertThat(run("--help")).isZero();
        assertThat(out()).startsWith("Usage: ").contains("--version");
        assertThat(err()).isEmpty();
        this.out.reset();
        assertThat(run("--version")).isZero();
        assertThat(out()).startsWith("shardedid-inspector ");
        assertThat(err()).isEmpty();
    }

    /** As {@code java -jar} does: nothing else is there, and no Hibernate. */
    @Test
    void runsWithTwoOtherModulesOnTheClassPath() throws Exception {
        StringJoiner classes = new StringJoiner(File.pathSeparator);
        for (Class<?> type : List.of(Inspector.class, IdLayout.class, PublicIdFormat.class)) {
            classes.add(locationOf(type).toString());
        }
        Path printed = this.folder.resolve("printed");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                classes.toString(), Inspector.class.getName(), "parse", "1541815603606036480",
                "--shardedid.layout.preset=snowflake")
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();

        assertThat(process.waitFor()).as(() -> "printed: " + printed).isZero();
        assertThat(Files.readString(printed)).contains("time      2022-06-28T16:07:40.105Z", "workerId  378");
    }

    private static Path locationOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private void refuses(String message, String... arguments) {
        assertThat(run(arguments)).isEqualTo(Inspector.REFUSED);
        assertThat(err()).startsWith(message).contains("Usage: ");
        assertThat(out()).isEmpty();
        this.err.reset();
    }

}
