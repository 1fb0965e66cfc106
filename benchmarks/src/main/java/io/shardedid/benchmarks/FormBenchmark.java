package io.shardedid.benchmarks;

import java.util.concurrent.TimeUnit;

import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.SealingKeys;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Ids written and read in the forms that they have outside the database.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class FormBenchmark {

    private static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private static final String OTHER_KEY = "EBESExQVFhcYGRobHB0eHw==";

    @Param({ "decimal", "crockford", "base62", "sealed", "sealed-by-second-key" })
    private String form = "decimal";

    private PublicIdFormat format = PublicIdFormat.decimal();

    private long id = 2217813737473025833L;

    private String text = "";

    /** Makes the form, and the text that is read. */
    @Setup
    public void prepare() {
        this.format = switch (this.form) {
            case "sealed" -> PublicIdFormat.sealed(SealingKeys.of(KEY), "Photo");
            case "sealed-by-second-key" -> PublicIdFormat.sealed(SealingKeys.of(OTHER_KEY, KEY), "Photo");
            default -> PublicIdFormat.named(this.form);
        };
        this.text = this.form.startsWith("sealed") ? PublicIdFormat.sealed(SealingKeys.of(KEY), "Photo").format(this.id)
                : this.format.format(this.id);
    }

    @Benchmark
    public String write() {
        return this.format.format(this.id++);
    }

    @Benchmark
    public long read() {
        return this.format.parse(this.text);
    }

}
