package io.shardedid.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;

import io.shardedid.IdLayout;
import io.shardedid.ShardedId;
import io.shardedid.jackson.ShardedIdJackson2Module;
import io.shardedid.jackson.ShardedIdJacksonModule;
import io.shardedid.jackson.UnmarkedNumbers;

/**
 * A list of 1,000 entities written as JSON with the module, and by
 * {@code ToStringSerializer} on the same member, in turns. Prints the median of the
 * ratios of neighbours; run it by hand: {@code java -cp … EntityJsonRounds [pairs]}.
 */
final class EntityJsonRounds {

    private static final int ENTITIES = 1000;

    private static final int WRITES = 50;

    /** Time of the processor, since other programs may run. */
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private EntityJsonRounds() {
    }

    public static void main(String[] arguments) throws Exception {
        int pairs = (arguments.length > 0) ? Integer.parseInt(arguments[0]) : 200;
        IdLayout layout = IdLayout.standard();
        UnmarkedNumbers watched = UnmarkedNumbers.watched((number) -> layout.shardOf(number) < 2000, () -> null);
        long first = layout.firstIdAt(layout.epoch().plusSeconds(50_000_000));
        List<Photo> photos = LongStream.range(0, ENTITIES).mapToObj((i) -> new Photo(first + i)).toList();
        List<Peer> peers = LongStream.range(0, ENTITIES).mapToObj((i) -> new Peer(first + i)).toList();
        var jackson3 = tools.jackson.databind.json.JsonMapper.builder()
            .addModule(new ShardedIdJacksonModule(watched))
            .build();
        var plain3 = new tools.jackson.databind.json.JsonMapper();
        var jackson2 = com.fasterxml.jackson.databind.json.JsonMapper.builder()
            .addModule(new ShardedIdJackson2Module(watched))
            .build();
        var plain2 = new com.fasterxml.jackson.databind.json.JsonMapper();
        if (!jackson3.writeValueAsString(photos).equals(plain3.writeValueAsString(peers))
                || !jackson2.writeValueAsString(photos).equals(plain2.writeValueAsString(peers))) {
            throw new IllegalStateException("both must write the same");
        }
        print("Jackson 3, module over ToStringSerializer", pairs, () -> jackson3.writeValueAsBytes(photos),
                () -> plain3.writeValueAsBytes(peers));
        print("Jackson 3, ToStringSerializer over itself", pairs, () -> plain3.writeValueAsBytes(peers),
                () -> plain3.writeValueAsBytes(peers));
        print("Jackson 2, module over ToStringSerializer", pairs, () -> jackson2.writeValueAsBytes(photos),
                () -> plain2.writeValueAsBytes(peers));
        print("Jackson 2, ToStringSerializer over itself", pairs, () -> plain2.writeValueAsBytes(peers),
                () -> plain2.writeValueAsBytes(peers));
    }

    private static void print(String name, int pairs, Callable<byte[]> one, Callable<byte[]> other) throws Exception {
        double[] ratios = new double[pairs];
        for (int pair = -pairs / 4; pair < pairs; pair++) {
            // each is first in every second pair
            boolean swapped = (pair & 1) == 0;
            long early = nanos(swapped ? other : one);
            long late = nanos(swapped ? one : other);
            if (pair >= 0) {
                ratios[pair] = swapped ? (double) late / early : (double) early / late;
            }
        }
        Arrays.sort(ratios);
        System.out.printf(Locale.ROOT, "%s: median %.3f, half of the pairs from %.3f to %.3f%n", name,
                ratios[pairs / 2], ratios[pairs / 4], ratios[pairs * 3 / 4]);
    }

    private static long nanos(Callable<byte[]> writing) throws Exception {
        long began = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < WRITES; i++) {
            writing.call();
        }
        return THREADS.getCurrentThreadCpuTime() - began;
    }

    /** An entity of seven members. */
    static class Photo {

        @ShardedId(shardKey = "userId")
        public final long id;

        public final String caption = "a photo of the sea at dawn";

        public final int height = 1080;

        public final String place = "Lisbon";

        public final long userId = 4711;

        public final long views = 12;

        public final int width = 1920;

        Photo(long id) {
            this.id = id;
        }

    }

    /** The same with what an application would write without the module. */
    static class Peer {

        @tools.jackson.databind.annotation.JsonSerialize(
                using = tools.jackson.databind.ser.std.ToStringSerializer.class)
        @com.fasterxml.jackson.databind.annotation.JsonSerialize(
                using = com.fasterxml.jackson.databind.ser.std.ToStringSerializer.class)
        public final long id;

        public final String caption = "a photo of the sea at dawn";

        public final int height = 1080;

        public final String place = "Lisbon";

        public final long userId = 4711;

        public final long views = 12;

        public final int width = 1920;

        Peer(long id) {
            this.id = id;
        }

    }

}
