"""Retrieval: which passages matter to a question."""
