package io.shardedid.benchmarks;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What was measured, for people; and all values, for machines.
 */
final class Report {

    private final Measurements measured;

    private final Scale scale;

    private final String head;

    Report(Measurements measured, Scale scale, String head) {
        this.measured = measured;
        this.scale = scale;
        this.head = head;
    }

    void write(Path markdown, Path json) throws IOException {
        Files.writeString(markdown, markdown());
        Files.writeString(json, json());
    }

    private String markdown() {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        out.println(this.head);
        out.println("## Figures");
        out.println();
        out.println("Ratios are taken in each round; the median of the rounds, and the lowest to the highest.");
        out.println();
        out.println("| figure | goal, at most | measured | spread | |");
        out.println("|---|---|---|---|---|");
        for (Figure figure : Figures.of(this.measured)) {
            out.printf(Locale.ROOT, "| %s | %s | %s | %s | %s |%n", figure.what(), figure.goal(),
                    figure.measured().medianText(), figure.measured().spreadText(),
                    this.scale.full() ? figure.verdict() : "a smoke run tells nothing");
        }
        out.println();
        out.println("## What is compared");
        out.println();
        out.println("| name | what | ceiling |");
        out.println("|---|---|---|");
        for (Peer peer : Peer.values()) {
            out.printf("| %s | %s | %s |%n", peer, peer.title(), peer.ceiling());
        }
        for (RowKind kind : RowKind.values()) {
            out.printf("| persist … %s | %s | |%n", kind, kind.title());
        }
        out.println();
        out.println("## All");
        out.println();
        out.println(
                "Names end in the number of threads (t8); times are ns an id and thread (`thousandCalls`: median of "
                        + "samples of 1,000 ids), persist µs a row.");
        out.println();
        out.println("| name | median | spread |");
        out.println("|---|---|---|");
        for (String name : this.measured.names()) {
            Series series = this.measured.series(name);
            out.printf("| %s | %s | %s |%n", name, series.medianText(), series.spreadText());
        }
        return text.toString();
    }

    private String json() {
        return this.measured.names()
            .stream()
            .map((name) -> "  \"%s\": %s".formatted(name, this.measured.series(name).values()))
            .collect(Collectors.joining(",\n", "{\n", "\n}\n"));
    }

}
