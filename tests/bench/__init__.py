"""Benches: each measures one thing with both sides in the same run. `python -m tests.bench.NAME [--quick]`."""
