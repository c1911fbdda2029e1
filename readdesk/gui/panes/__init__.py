"""The places of the window: library, sidebar, chat."""
