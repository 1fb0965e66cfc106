package io.shardedid.move;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.shardedid.shards.ShardRange;

/**
 * A mover in a process of its own: URL of a, URL of b, shards, target, and the number of
 * the statement before which it is killed; 0 if it kills itself nowhere. It says "begins"
 * when it starts to move, and ends with 0 when the shards are moved.
 */
final class MoverProcess {

    private MoverProcess() {
    }

    public static void main(String[] arguments) throws IOException {
        MoveDatabases databases = new MoveDatabases(
                Map.of("a", new MoveDatabases.Database(arguments[0], "postgres", "", null), "b",
                        new MoveDatabases.Database(arguments[1], "postgres", "", null)),
                "a", "default", null);
        int last = Integer.parseInt(arguments[4]);
        AtomicInteger statements = new AtomicInteger();
        System.out.println("begins");
        try (Move move = new Move(databases, TwoDatabases.LIMITS, ShardRange.parse(arguments[2]), (progress) -> {
        }, (database, sql) -> {
            if (statements.incrementAndGet() == last) {
                kill();
            }
        })) {
            MoveResult result = move.move(arguments[3]);
            System.out
                .println("pause " + result.pause().toMillis() + " rows " + result.rows() + " statements " + statements);
        }
        catch (SQLException | MoveException ex) {
            System.out.println("failed " + ex);
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    private static void kill() {
        try {
            new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
        }
        catch (IOException | InterruptedException ex) {
            Runtime.getRuntime().halt(9);
        }
    }

}
