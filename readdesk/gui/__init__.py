"""The window. The only room that knows Qt: everything it does is a verb of the desk, all it is told are events."""
