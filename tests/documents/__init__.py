"""Tests of the documents room."""
