package io.shardedid.sample.laboratory;

import org.springframework.stereotype.Service;

/**
 * The histogram of the dashboard: the rows of the latest storm, or of the feed before the
 * first one.
 */
@Service
class Shards {

    private final Storm storm;

    private final ShardHistogram histogram;

    Shards(Storm storm, ShardHistogram histogram) {
        this.storm = storm;
        this.histogram = histogram;
    }

    ShardsView now() {
        return this.storm.shards()
            .map((bins) -> new ShardsView("rows of the latest storm", this.histogram.shardsPerBin(), bins))
            .orElseGet(() -> new ShardsView("photos of the feed", this.histogram.shardsPerBin(),
                    this.histogram.of("photo")));
    }

}
