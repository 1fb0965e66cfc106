package io.shardedid;

import java.text.MessageFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * The lines that one class logs, until this is closed. {@link System.Logger} writes to
 * {@code java.util.logging} when an application brings nothing else.
 */
public final class LoggedLines implements AutoCloseable {

    private final Logger logger;

    private final List<String> lines = new CopyOnWriteArrayList<>();

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            LoggedLines.this.lines.add(line.getLevel() + " " + ((line.getParameters() != null)
                    ? MessageFormat.format(line.getMessage(), line.getParameters()) : line.getMessage()));
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    };

    public LoggedLines(String className) {
        this.logger = Logger.getLogger(className);
        this.logger.addHandler(this.handler);
        this.logger.setUseParentHandlers(false);
    }

    /** Returns level and text of each line so far. */
    public List<String> lines() {
        return this.lines;
    }

    @Override
    public void close() {
        this.logger.removeHandler(this.handler);
        this.logger.setUseParentHandlers(true);
    }

}
