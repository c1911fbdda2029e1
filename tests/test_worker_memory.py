"""A child that takes more memory than it may."""

from __future__ import annotations

import pytest

from readdesk.errors import WorkerTooLargeError
from readdesk.worker import Worker


def test_a_child_that_takes_too_much_memory_is_ended_and_the_next_call_works() -> None:
    worker = Worker("tests.services:Echo", name="The echo", most_memory=200 << 20)
    try:
        assert max(worker.stream("swell", 32 << 20)) < 32 << 20
        with pytest.raises(WorkerTooLargeError, match="The echo took more than 200 MB of memory"):
            list(worker.stream("swell", 2 << 30))
        assert worker.call("echo", "still here") == "still here"
    finally:
        worker.close()
