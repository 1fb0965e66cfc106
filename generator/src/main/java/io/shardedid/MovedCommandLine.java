package io.shardedid;

/**
 * What {@code java -jar} with the jar of the generator runs. It says where the command
 * line is.
 */
final class MovedCommandLine {

    private MovedCommandLine() {
    }

    public static void main(String[] arguments) {
        System.err
            .println("Could not run a command: jar=shardedid-generator (the commands are those of the inspector); run "
                    + "'java -jar' with the jar of shardedid-inspector, and leave this one beside it");
        System.exit(2);
    }

}
