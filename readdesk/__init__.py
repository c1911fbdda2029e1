"""ReadDesk reads books with a model of one's own."""

__version__ = "0.1.0"
