"""The book in the middle: a view of text and a view of drawn leaves behind one protocol."""
