package io.shardedid.cli;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.IdParts;
import io.shardedid.IdReader;
import io.shardedid.IdWindow;
import io.shardedid.UuidLayout;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.LeaseChange;
import io.shardedid.internal.lease.LeaseRegion;
import org.jspecify.annotations.Nullable;

/**
 * What can be asked.
 */
final class Commands {

    private static final Pattern UUID_TEXT = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

    private static final int WORKER_BITS_OF_TWITTER = 5;

    private static final String CHANGE = "change";

    private static final String REGIONS = "regions";

    private final IdLayout layout;

    private final Instant now;

    private final IdReader reader;

    private final IdTexts texts;

    private final ShardedIdSettings settings;

    Commands(CommandLine line, Instant now) {
        this.layout = line.layout();
        this.now = now;
        this.reader = line.reader().withClock(() -> now);
        this.settings = line.settings();
        this.texts = new IdTexts(line.options().getOrDefault(CommandLine.FORM, IdTexts.DECIMAL));
    }

    /**
     * Runs a command.
     * @throws IllegalArgumentException if there is no such command, or its arguments make
     * no sense
     */
    InspectorOutput run(List<String> words, Map<String, String> options) {
        List<String> arguments = words.subList(1, words.size());
        options.keySet().forEach((option) -> {
            List<String> owners = switch (option) {
                case CommandLine.FORM, CommandLine.FLAKE -> List.of("parse");
                default -> List.of(CHANGE);
            };
            if (!owners.contains(words.get(0))) {
                throw new IllegalArgumentException("Option '%s' belongs to the command %s: command='%s'"
                    .formatted(option, String.join(" or ", owners), words.get(0)));
            }
        });
        return switch (words.get(0)) {
            case "parse" -> parse(arguments, options.containsKey(CommandLine.FLAKE));
            case "format" -> format(arguments);
            case "layout" -> new InspectorOutput(List.of(described(this.layout)), false);
            case "window" -> window(arguments);
            case "presets" -> presets();
            case CHANGE -> change(arguments, options.get(CommandLine.FROM));
            case REGIONS -> regions(arguments);
            default ->
                throw new IllegalArgumentException("command must be one of parse, format, layout, window, presets, "
                        + "change, regions: command='%s'".formatted(words.get(0)));
        };
    }

    private InspectorOutput parse(List<String> ids, boolean flake) {
        if (ids.isEmpty()) {
            throw new IllegalArgumentException("parse needs at least one id");
        }
        List<Map<String, Object>> records = ids.stream()
            .map((text) -> flake ? Flake.parse(text).record(text, this.now)
                    : UUID_TEXT.matcher(text).matches() ? parsedUuid(text) : parsed(this.texts.decimal(text)))
            .toList();
        return new InspectorOutput(records,
                records.stream().anyMatch((record) -> record.containsKey("problems") && !record.containsKey("older")));
    }

    private Map<String, Object> parsed(String text) {
        long id = number(text);
        Map<String, Object> record = new LinkedHashMap<>();
        // as text: JavaScript rounds larger numbers
        record.put("id", text);
        if (id >= 0 && id <= this.layout.lastId()) {
            IdParts parts = this.layout.parse(id);
            record.put("time", parts.instant().toString());
            if (this.layout.shardBits() > 0) {
                record.put("shard", parts.shard());
            }
            if (this.layout.workerBits() > 0) {
                record.put("workerId", parts.worker());
            }
            if (hasDatacenters()) {
                record.put("datacenter", parts.worker() >> WORKER_BITS_OF_TWITTER);
                record.put("workerInDatacenter", parts.worker() & (1 << WORKER_BITS_OF_TWITTER) - 1);
            }
            if (this.layout.sequenceBits() > 0) {
                record.put("sequence", parts.sequence());
            }
        }
        if (id >= 0 && id <= this.layout.lastId() && this.reader.mayBeOlder(id)) {
            record.put("older", this.reader.isOlder(id) ? "yes" : "probably");
        }
        return withProblems(record, this.reader.problemsWith(id));
    }

    /** Whether the worker id is a datacenter and a worker in it, as Twitter has them. */
    private boolean hasDatacenters() {
        IdLayout twitters = IdLayout.snowflake();
        return this.layout.toBuilder().epoch(twitters.epoch()).build().equals(twitters)
                && Stream.of(ForeignLayout.values()).noneMatch((other) -> other.layout().equals(this.layout));
    }

    private static Map<String, Object> withProblems(Map<String, Object> record, List<String> problems) {
        if (!problems.isEmpty()) {
            record.put("problems", String.join("; ", problems));
        }
        return record;
    }

    private Map<String, Object> parsedUuid(String text) {
        UUID id = UUID.fromString(text);
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("id", id.toString());
        record.put("version", id.version());
        if (UuidLayout.isVersion7(id)) {
            IdParts parts = UuidLayout.parse(id);
            record.put("time", parts.instant().toString());
            record.put("shard", parts.shard());
            record.put("workerId", parts.worker());
            record.put("sequence", parts.sequence());
        }
        return withProblems(record, this.reader.problemsWith(id));
    }

    private static long number(String text) {
        return IdLayout.parseText(text)
            .orElseThrow(() -> new IllegalArgumentException(
                    "id must be a whole number of 64 bits: id='%s'".formatted(text)));
    }

    private InspectorOutput format(List<String> ids) {
        if (ids.isEmpty()) {
            throw new IllegalArgumentException("format needs at least one id");
        }
        return new InspectorOutput(ids.stream().map(this::formatted).toList(), false);
    }

    private Map<String, Object> formatted(String text) {
        long id = number(text);
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("id", text);
        record.putAll(this.texts.of(id));
        for (BwmarrinBase base : BwmarrinBase.values()) {
            record.put(base.externalName(), base.write(id));
        }
        return record;
    }

    private InspectorOutput window(List<String> instants) {
        if (instants.size() != 2) {
            throw new IllegalArgumentException("window needs two instants, FROM and TO");
        }
        Instant from = instant(instants.get(0));
        Instant to = instant(instants.get(1));
        if (from.isAfter(to)) {
            throw new IllegalArgumentException("FROM must not be after TO: from=%s, to=%s".formatted(from, to));
        }
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("from", from.toString());
        record.put("to", to.toString());
        IdWindow window = IdWindow.between(this.layout, from, to);
        record.put("firstId", Long.toString(window.firstId()));
        record.put("lastId", Long.toString(window.lastId()));
        record.put("sql", "id BETWEEN %s AND %s".formatted(record.get("firstId"), record.get("lastId")));
        return new InspectorOutput(List.of(record), false);
    }

    private static Instant instant(String text) {
        try {
            return Instant.parse(text);
        }
        catch (DateTimeParseException ex) {
            throw new IllegalArgumentException(
                    "instant must be in ISO form with a zone, as 2026-01-01T00:00:00Z: instant='%s'".formatted(text),
                    ex);
        }
    }

    private static InspectorOutput presets() {
        List<Map<String, Object>> records = new ArrayList<>();
        for (String name : IdLayout.presetNames()) {
            records.add(named(name, IdLayout.preset(name)));
        }
        for (ForeignLayout foreign : ForeignLayout.values()) {
            Map<String, Object> record = named(foreign.externalName(), foreign.layout());
            record.put("readOnly", foreign.whyReadOnly());
            records.add(record);
        }
        records.add(Flake.description());
        return new InspectorOutput(records, false);
    }

    private InspectorOutput change(List<String> arguments, @Nullable String from) {
        if (!arguments.isEmpty()) {
            throw new IllegalArgumentException(
                    "change needs the new keys of the application, and, where worker ids come "
                            + "from another lease table, the keys of that one: '--config=NEW.properties --from=OLD.properties'");
        }
        LeaseChange change = this.settings.change();
        LeaseChange.Changed changed = ((from != null)
                ? change.from(ShardedIdSettings.from(CommandLine.read(from)).leaseTable()) : change)
            .run();
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("layout", changed.layout());
        record.put("first", changed.first().toString());
        return new InspectorOutput(List.of(record), false);
    }

    private InspectorOutput regions(List<String> files) {
        if (files.size() < 2) {
            throw new IllegalArgumentException(
                    "regions needs a file for each lease table: 'regions A.properties B.properties'");
        }
        List<LeaseRegion> regions = files.stream()
            .map((file) -> LeaseRegion.read(file, ShardedIdSettings.from(CommandLine.read(file)).leaseTable()))
            .toList();
        List<Map<String, Object>> records = new ArrayList<>();
        for (LeaseRegion region : regions) {
            Map<String, Object> record = new LinkedHashMap<>();
            record.put("table", region.name());
            record.put("layout", region.layout());
            record.put("workers", region.workers().toString());
            List<String> problems = regions.stream()
                .filter((other) -> other != region)
                .flatMap((other) -> region.problemWith(other).stream())
                .toList();
            if (!problems.isEmpty()) {
                record.put("problems", String.join("; ", problems));
            }
            records.add(record);
        }
        return new InspectorOutput(records, records.stream().anyMatch((record) -> record.containsKey("problems")));
    }

    private static Map<String, Object> named(String name, IdLayout layout) {
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("preset", name);
        record.putAll(described(layout));
        return record;
    }

    private static Map<String, Object> described(IdLayout layout) {
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("fields", layout.describe());
        record.put("epoch", layout.epoch().toString());
        record.put("tick", layout.tick().toString());
        record.put("ends", layout.lastUsableInstant().toString());
        return record;
    }

}
