"""EPUBs: the archive, what a book tells of its own structure, and its reading from file to file."""
