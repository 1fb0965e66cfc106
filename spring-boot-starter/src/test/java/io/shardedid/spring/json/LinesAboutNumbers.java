package io.shardedid.spring.json;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;

import io.shardedid.jackson.UnmarkedNumbers;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What the log says of numbers that could be ids, wherever it goes. */
final class LinesAboutNumbers implements BeforeEachCallback, AfterEachCallback {

    private final Logger logger = Logger.getLogger(UnmarkedNumbers.class.getName());

    final List<String> lines = new ArrayList<>();

    @Override
    public void beforeEach(ExtensionContext context) {
        this.logger.setFilter((line) -> this.lines.add(line.getMessage()));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        this.logger.setFilter(null);
    }

}
