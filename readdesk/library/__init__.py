"""The library: everything that is kept, in one SQLite file, with one manager a subject."""
