"""Markdown: blocks and marks, every character with its place in the source."""
