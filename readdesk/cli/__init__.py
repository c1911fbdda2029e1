"""The command line: a command is argument parsing, one verb of the desk, printing."""
