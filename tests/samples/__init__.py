"""Documents made by script, for tests."""
