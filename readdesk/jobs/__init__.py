"""Jobs: work that takes time, done in lanes, stopped at any moment, continued from what is kept."""
