package io.shardedid.sample.laboratory;

import java.util.List;
import java.util.Map;

import io.shardedid.routing.Shards;

import org.springframework.stereotype.Service;

/**
 * The histogram of the dashboard: the rows of the latest storm, or of the feed before the
 * first one.
 */
@Service
class RowsByShard {

    private final Storm storm;

    private final ShardHistogram histogram;

    private final Shards shards;

    RowsByShard(Storm storm, ShardHistogram histogram, Shards shards) {
        this.storm = storm;
        this.histogram = histogram;
        this.shards = shards;
    }

    ShardsView now() {
        if (this.shards.map().databases().size() > 1 && this.storm.view().running()) {
            return view("rows of the storm, which goes on", this.histogram.of(IdKind.SHARDED.table()));
        }
        return this.storm.shards()
            .map((bins) -> view("rows of the latest storm", bins))
            .orElseGet(() -> view("photos of the feed", this.histogram.of("photo")));
    }

    private ShardsView view(String rows, Map<String, List<Long>> bins) {
        return ShardsView.of(rows, this.histogram.shardsPerBin(), bins, this.shards.map());
    }

}
