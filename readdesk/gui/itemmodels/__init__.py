"""What item views show, read from the library."""
