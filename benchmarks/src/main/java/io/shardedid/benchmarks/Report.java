package io.shardedid.benchmarks;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What was measured, for people: figures, tables and plots; and all values, for machines.
 */
final class Report {

    /** Tables whose columns have one unit and say more as bars. */
    private static final Set<String> PLOTTED = Set.of("next-threads", "next-virtual", "spread", "growth-shards",
            "growth-virtual", "growth-threads", "growth-memory", "persist", "bytes-postgresql",
            "persist-away-postgresql", "persist-away-mariadb", "newest-50", "hour");

    private final Measurements measured;

    private final Scale scale;

    private final String head;

    private final List<String> parts;

    private final boolean jmh;

    Report(Measurements measured, Scale scale, String head, List<String> parts, boolean jmh) {
        this.measured = measured;
        this.scale = scale;
        this.head = head;
        this.parts = parts;
        this.jmh = jmh;
    }

    /** Writes a page, and plots and values into the folder beside it. */
    void write(Path markdown, Path folder) throws IOException {
        Map<String, Table> tables = Tables.of(this.measured);
        for (Map.Entry<String, Table> table : tables.entrySet()) {
            if (PLOTTED.contains(table.getKey())) {
                Plots.write(table.getValue(), folder.resolve(table.getKey() + ".png"));
            }
        }
        Files.writeString(markdown, markdown(tables, folder.getFileName().toString()));
        Files.writeString(folder.resolve("all.json"), json());
    }

    private String markdown(Map<String, Table> tables, String folder) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        out.println(this.head);
        figures(out);
        compared(out);
        tables.forEach((name, table) -> {
            out.println("## " + table.title());
            out.println();
            out.println(table.markdown());
            if (PLOTTED.contains(name)) {
                out.printf("![%s](%s/%s.png)%n%n", table.title().replace("`", ""), folder, name);
            }
        });
        out.println("## How long it took");
        out.println();
        this.parts.forEach((part) -> out.println("- " + part));
        out.println();
        out.printf("All values, round by round: [all.json](%s/all.json)%s.%n", folder,
                this.jmh ? "; JMH's own: [jmh.json.gz](%s/jmh.json.gz)".formatted(folder) : "");
        return text.toString();
    }

    private void figures(PrintWriter out) {
        out.println("## Figures");
        out.println();
        out.println("Ratios are taken in each round; the median of the rounds, and the lowest to the highest. "
                + "`generate` stops the run if it prepares a statement.");
        out.println();
        out.println("| figure | goal, at most | measured | spread | rounds | verdict |");
        out.println("|---|---|---|---|---|---|");
        for (Figure figure : Figures.of(this.measured)) {
            Series series = figure.measured();
            if (!series.isEmpty()) {
                out.printf("| %s | %s | %s | %s | %s | %s |%n", figure.what(), figure.goal(), series.medianText(),
                        series.spreadText(), series.values().size(),
                        this.scale.meant() ? figure.verdict() : "a smoke run tells nothing");
            }
        }
        out.println();
    }

    private static void compared(PrintWriter out) {
        out.println("## What is compared");
        out.println();
        out.println("| name | what | ceiling of `next` | at its default |");
        out.println("|---|---|---|---|");
        for (Peer peer : Peer.values()) {
            out.printf("| %s | %s | %s | |%n", peer, peer.title(), peer.ceiling());
        }
        for (DefaultPeer peer : DefaultPeer.values()) {
            out.printf("| default layout %s | %s | | %s |%n", peer, peer.title(), peer.ceiling());
        }
        for (RowKind kind : RowKind.values()) {
            out.printf("| persist %s | %s | | |%n", kind, kind.title());
        }
        out.println();
    }

    private String json() {
        return this.measured.names()
            .stream()
            .map((name) -> "  \"%s\": %s".formatted(name, this.measured.series(name).values()))
            .collect(Collectors.joining(",\n", "{\n", "\n}\n"));
    }

}
