"""Kept prefixes, with random models of every kind of memory: a wrong reuse must never change what is said.

Journeys of random requests (the same prefix, a longer, shorter or changed one, another owner, a stop anywhere, a
restart, other work in between) end, step by step, with the comparison with a context that has read nothing else.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.llm.llama import context as context_module
from readdesk.llm.llama import prefix as prefix_module
from readdesk.llm.llama.context import LlamaContext
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.llama.prefix import WORTH_KEEPING, PrefixReader, open_cache
from readdesk.llm.llama.service import LlamaService
from readdesk.llm.model import Limits, LoadOptions, Message, Prefix, Reply
from tests.llm.asking import ENDLESS, SYSTEM
from tests.llm.random_gguf import write_random_gguf
from tests.llm.random_kinds import KINDS, WINDOW, write_random_kind

QUIET = CancelToken()
LENGTH = 512
ROUNDING = 0.05
"""How far the same reading in other groups of tokens may differ; log-probabilities here lie between -1 and -30."""

ALL_KINDS = ("llama", *KINDS)
CUTTABLE = ("llama",)
"""Only plain states can be cut back once they were on the disk."""
Expected = Callable[[list[int]], npt.NDArray[np.float64]]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("kinds")
    return {"llama": write_random_gguf(folder), **{kind: write_random_kind(folder, kind) for kind in KINDS}}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short texts then take several calls, and are kept."""
    monkeypatch.setattr(context_module, "BATCH", 32)
    monkeypatch.setattr(prefix_module, "WORTH_KEEPING", 30)


class Machine:
    """A loaded model that reads prefixes, with what it kept in a folder."""

    def __init__(self, file: Path, folder: Path | None, limit: int = 1 << 30) -> None:
        self.model = LlamaModel(file, 0, QUIET)
        self.context = LlamaContext(self.model, LENGTH)
        options = LoadOptions(context=LENGTH, folder=folder, cache_limit=limit)
        self.cache = open_cache(file, options, self.context)
        self.reader = PrefixReader(self.context, 0, self.cache)

    def close(self) -> None:
        self.context.close()
        self.model.close()


@contextmanager
def machine(file: Path, folder: Path | None, limit: int = 1 << 30) -> Iterator[Machine]:
    running = Machine(file, folder, limit)
    try:
        yield running
    finally:
        running.close()


@contextmanager
def expecting(file: Path) -> Iterator[Expected]:
    """What a context that has read nothing else expects after a prompt."""
    model = LlamaModel(file, 0, QUIET)
    known: dict[tuple[int, ...], npt.NDArray[np.float64]] = {}

    def expected(prompt: list[int]) -> npt.NDArray[np.float64]:
        if tuple(prompt) not in known:
            context = LlamaContext(model, LENGTH)
            context.read(0, prompt, QUIET)
            known[tuple(prompt)] = context.log_probabilities()
            context.close()
        return known[tuple(prompt)]

    yield expected
    model.close()


def text(chance: random.Random, length: int) -> list[int]:
    """Tokens of the random vocabulary that control nothing."""
    return [chance.randrange(5, 270) for _ in range(length)]


@pytest.mark.parametrize(("limit", "stay"), [(0, set()), (250, {"new.state"}), (1000, {"new.state", "old.state"})])
def test_what_a_lower_limit_forbids_goes_when_a_model_is_loaded(
    files: dict[str, Path], tmp_path: Path, limit: int, stay: set[str]
) -> None:
    """Whoever wants nothing kept does not want what was kept before either."""
    folder = tmp_path / "memories"
    folder.mkdir()
    for name, used in (("new", 2_000_000_000), ("old", 1_000_000_000)):
        (folder / f"{name}.state").write_bytes(bytes(200))
        os.utime(folder / f"{name}.state", (used, used))
    with machine(files["llama"], tmp_path, limit):
        assert {file.name for file in folder.iterdir()} == stay


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_the_beginning_of_a_prompt_changes_what_follows_it(files: dict[str, Path], kind: str) -> None:
    """Else all comparisons here would be empty: each kind remembers a change far back."""
    chance = random.Random(1)
    prompt = text(chance, 300)
    with expecting(files[kind]) as expected:
        for place in (0, 40, 270):
            other = [*prompt[:place], *text(chance, 20), *prompt[place + 20 :]]
            assert np.abs(expected(other) - expected(prompt)).max() > 4 * ROUNDING


class StopsAt(CancelToken):
    """A token that is cancelled at a moment: between two calls of llama.cpp or inside one."""

    def __init__(self, moment: int) -> None:
        super().__init__()
        self._moment = moment

    def _passed(self) -> bool:
        self._moment -= 1
        return self._moment < 0

    def raise_if_cancelled(self) -> None:
        if self._passed():
            self.cancel()
        super().raise_if_cancelled()

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        with super().calling(callback):
            if self._passed():
                self.cancel()
            yield


class Journey:
    """Random requests to a machine, each compared with a fresh reading."""

    def __init__(self, file: Path, folder: Path, seed: int, expected: Expected) -> None:
        self._file, self._folder, self._expected = file, folder, expected
        self._chance = random.Random(seed)
        self._machine = Machine(file, folder)
        self._books = {owner: [text(self._chance, 25) for _ in range(5)] for owner in ("one", "two")}
        self.stopped = self.reused = self.compared = 0

    def close(self) -> None:
        self._machine.close()

    def step(self) -> None:
        self._change()
        owner = self._chance.choice(("one", "one", "two"))
        alone = [token for gist in self._books[owner] for token in gist]
        prompt = [*alone, *text(self._chance, self._chance.randrange(1, 50))]
        if self._chance.random() < 0.3:
            self._stop(owner, prompt, alone)
        if self._chance.random() < 0.15:
            self._machine.reader.prepare(owner, prompt, alone, QUIET)
        self._compare(owner, prompt, alone)
        for _ in range(self._chance.randrange(6)):
            self._machine.context.step([(0, self._chance.randrange(5, 270))], QUIET)

    def _change(self) -> None:
        """What happens to the books and the program between two requests."""
        gists = self._books[self._chance.choice(("one", "two"))]
        what = self._chance.random()
        if what < 0.25 and len(gists) < 10:
            gists.append(text(self._chance, 25))
        elif what < 0.35 and len(gists) > 2:
            del gists[self._chance.randrange(1, len(gists)) :]
        elif what < 0.5:
            gists[self._chance.randrange(len(gists))] = text(self._chance, 25)
        elif what < 0.6:
            self._machine.close()
            self._machine = Machine(self._file, self._folder)
        elif what < 0.7:
            self._machine.context.read(0, text(self._chance, 60), QUIET)

    def _stop(self, owner: str, prompt: list[int], alone: list[int]) -> None:
        try:
            self._machine.reader.read(owner, prompt, alone, StopsAt(self._chance.randrange(25)))
        except Cancelled:
            self.stopped += 1

    def _compare(self, owner: str, prompt: list[int], alone: list[int]) -> None:
        reused = self._machine.reader.read(owner, prompt, alone, QUIET)
        assert 0 <= reused < len(prompt)
        assert self._machine.context.tokens == [prompt]
        assert self._machine.context.log_probabilities() == pytest.approx(self._expected(prompt), abs=ROUNDING)
        self.reused += reused > 0
        self.compared += 1


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_journey_of_requests_and_stops_says_what_fresh_readings_say(
    files: dict[str, Path], tmp_path: Path, kind: str, seed: int
) -> None:
    with expecting(files[kind]) as expected:
        journey = Journey(files[kind], tmp_path, seed, expected)
        try:
            for _ in range(40):
                journey.step()
        finally:
            journey.close()
    assert journey.stopped > 1 and journey.reused > 10, "the journey met what it is for"


# -- what it saves -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_after_a_restart_a_question_costs_its_own_tokens(files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    chance = random.Random(2)
    alone, first, second = text(chance, 300), text(chance, 20), text(chance, 30)
    with machine(files[kind], tmp_path) as before:
        assert before.reader.read("book", [*alone, *first], alone, QUIET) == 0
    with machine(files[kind], tmp_path) as after:
        reused = after.reader.read("book", [*alone, *second], alone, QUIET)
        assert reused == (300 if kind in CUTTABLE else 292)
        assert reused <= after.reader.read("book", [*alone, *first], alone, QUIET) <= 300, "and the next one too"


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_question_between_others_needs_no_restart(files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    """Also where the memory cannot be cut back: then the state on disk is the snapshot to go on from."""
    chance = random.Random(3)
    alone = text(chance, 200)
    with machine(files[kind], tmp_path) as running:
        running.reader.read("book", [*alone, *text(chance, 20)], alone, QUIET)
        for _ in range(3):
            running.context.step([(0, 9)], QUIET)
            assert running.reader.read("book", [*alone, *text(chance, 20)], alone, QUIET) >= 192
            running.context.read(0, text(chance, 100), QUIET)


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_appended_gists_are_read_alone(files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    chance = random.Random(4)
    gists = text(chance, 200)
    longer = [*gists, *text(chance, 100)]
    with machine(files[kind], tmp_path) as before:
        before.reader.read("book", [*gists, 9], gists, QUIET)
    with machine(files[kind], tmp_path) as between:
        assert 192 <= between.reader.read("book", [*longer, 9], longer, QUIET) <= 200
    with machine(files[kind], tmp_path) as after:
        assert 292 <= after.reader.read("book", [*longer, 7], longer, QUIET) <= 300


@pytest.mark.parametrize("kind", CUTTABLE)
def test_from_the_first_changed_gist_on_it_is_read_anew(files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    chance = random.Random(5)
    gists = text(chance, 300)
    changed = [*gists[:120], *text(chance, 25), *gists[145:]]
    with machine(files[kind], tmp_path) as before:
        before.reader.read("book", [*gists, 9], gists, QUIET)
    with machine(files[kind], tmp_path) as after:
        reused = after.reader.read("book", [*changed, 9], changed, QUIET)
        assert 120 <= reused < 125, "a new token may happen to be the old one"
        assert after.cache.tokens("book") == tuple(changed)


@pytest.mark.parametrize("kind", KINDS)
def test_another_state_is_used_whole_or_not_at_all(files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    chance = random.Random(6)
    gists = text(chance, 300)
    changed = [*gists[:250], *text(chance, 50)]
    with machine(files[kind], tmp_path) as before:
        before.reader.read("book", [*gists, 9], gists, QUIET)
    with machine(files[kind], tmp_path) as running:
        assert running.reader.read("book", [*changed, 9], changed, QUIET) == 0
        assert running.cache.tokens("book") == tuple(changed[:292])
        assert running.reader.read("book", [*changed, 7], changed, QUIET) >= 292


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_little_that_is_new_is_not_worth_a_write(files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    chance = random.Random(7)
    gists = text(chance, 200)
    with machine(files[kind], tmp_path) as running:
        running.reader.read("book", [*gists[:20], 9], gists[:20], QUIET)
        assert running.cache.tokens("book") == ()
        running.reader.read("book", [*gists, 9], gists, QUIET)
        kept = running.cache.tokens("book")
        longer = [*gists, *text(chance, 20)]
        running.reader.read("book", [*longer, 9], longer, QUIET)
        assert running.cache.tokens("book") == kept


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_it_is_kept_before_the_rest_is_read(files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    """A stop in the question loses nothing of the memory."""
    chance = random.Random(8)
    alone = text(chance, 96)
    prompt = [*alone, *text(chance, 200)]
    with machine(files[kind], tmp_path) as running:
        for moment in range(40):
            with pytest.raises(Cancelled):
                running.reader.read("book", prompt, alone, StopsAt(moment))
            if running.cache.tokens("book"):
                break
        assert running.cache.tokens("book") == tuple(alone[: 96 if kind in CUTTABLE else 88])
        assert len(running.context.tokens[0]) < len(prompt)


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_prefix_is_prepared_once(files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    chance = random.Random(9)
    alone = text(chance, 100)
    with machine(files[kind], tmp_path) as running:
        end = 100 if kind in CUTTABLE else 92
        assert running.reader.prepare("book", [*alone, 9], alone, QUIET) == end
        assert running.reader.prepare("book", [*alone, 9], alone, QUIET) == 0
        longer = [*alone, 5, 6]
        assert running.reader.prepare("book", [*longer, 8], longer, QUIET) <= 3, "however little is new"
    with machine(files[kind], tmp_path) as after:
        assert after.reader.prepare("book", [*longer, 7, 8], longer, QUIET) == 0
        assert after.reader.read("book", [*longer, 7, 8], longer, QUIET) == end + 2


# -- what goes wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_without_a_cache_everything_is_read_and_right(files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    chance = random.Random(10)
    alone = text(chance, 100)
    for folder, limit in ((None, 1 << 30), (tmp_path, 0), (tmp_path, 1000)):
        with machine(files[kind], folder, limit) as running, expecting(files[kind]) as expected:
            for _ in range(2):
                prompt = [*alone, *text(chance, 30)]
                running.reader.read("book", prompt, alone, QUIET)
                assert running.context.log_probabilities() == pytest.approx(expected(prompt), abs=ROUNDING)
    assert not list((tmp_path / "memories").glob("*.state"))


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_state_that_the_model_does_not_take_is_read_anew(files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    """As after a change of llama.cpp that nobody counted as one: the sums are right, the contents are not."""
    chance = random.Random(11)
    alone = text(chance, 100)
    prompt = [*alone, *text(chance, 20)]
    with machine(files[kind], tmp_path) as running, expecting(files[kind]) as expected:
        running.reader.read("book", prompt, alone, QUIET)
        state = running.context.state(0)
        for data in (b"", b"\0" * len(state), state[: len(state) // 2], state[:-1], state + b"\0"):
            running.cache.save("book", alone, data, QUIET)
            running.context.read(0, text(chance, 10), QUIET)
            assert running.reader.read("book", prompt, alone, QUIET) == 0
            assert running.context.log_probabilities() == pytest.approx(expected(prompt), abs=ROUNDING)
            assert running.cache.tokens("book") == tuple(alone[: 100 if kind in CUTTABLE else 92]), "it is kept anew"


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_state_of_more_or_fewer_tokens_than_it_says_is_refused(
    files: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    chance = random.Random(12)
    alone = text(chance, 100)
    with machine(files[kind], tmp_path) as running:
        running.context.read(0, alone, QUIET)
        state = running.context.state(0)
        for tokens in (alone[:-1], [*alone, 9], []):
            assert not running.context.restore(0, tokens, state)
            assert running.context.tokens == [[]]
        assert running.context.restore(0, alone, state)


def test_a_window_that_is_lost_is_read_anew(files: dict[str, Path], tmp_path: Path) -> None:
    """A kept state holds the last window only; llama.cpp cuts it back further without complaint (tried)."""
    chance = random.Random(13)
    first = text(chance, 300)
    prompt = [*first[:150], *text(chance, 50)]
    assert WINDOW < 150
    with machine(files["gemma3"], tmp_path) as running, expecting(files["gemma3"]) as expected:
        running.context.read(0, first, QUIET)
        assert running.context.usable(0, prompt) == 150, "what was read here has its whole window"
        running.context.restore(0, first, running.context.state(0))
        assert running.context.usable(0, prompt) == 0
        assert running.context.usable(0, [*first, 9]) == 300
        assert running.context.read(0, prompt, QUIET) == 0
        assert running.context.log_probabilities() == pytest.approx(expected(prompt), abs=ROUNDING)


# -- the whole service ---------------------------------------------------------------------------------------------


NOTES = "Notes on: A Book\n\n" + "".join(
    f"[Page {page}] One\nGist {page} tells of what is there.\n\n" for page in range(12)
)


def asked(notes: str, question: str) -> tuple[list[Message], Prefix]:
    return [SYSTEM, Message("user", f"{notes}\n---\n{question}")], Prefix("book", len(notes))


def reply(service: LlamaService, notes: str, question: str, *, has_prefix: bool = True) -> Reply:
    messages, prefix = asked(notes, question)
    *_, last = service.stream(
        messages, Limits(30, grammar=ENDLESS), prefix if has_prefix else None, cancel=CancelToken()
    )
    assert isinstance(last, Reply)
    return last


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_service_answers_from_what_another_kept_as_a_fresh_one_does(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(prefix_module, "WORTH_KEEPING", WORTH_KEEPING)
    monkeypatch.setattr(context_module, "BATCH", 512)

    def opened(folder: Path | None) -> LlamaService:
        return LlamaService(kind, files[kind], LoadOptions(1024, threads=1, folder=folder, cache_limit=1 << 30))

    questions = ("who?", "and where, if one may ask?")
    fresh = {}
    for question in questions:
        service = opened(None)
        fresh[question] = reply(service, NOTES, question, has_prefix=False)
        service.close()
    first = opened(tmp_path)
    messages, prefix = asked(NOTES, questions[0])
    read = first.prepare(messages, prefix, cancel=CancelToken())
    assert read > len(NOTES)
    first.close()
    second = opened(tmp_path)
    for question in (*questions, *questions):
        answer = reply(second, NOTES, question)
        assert answer.text == fresh[question].text
        assert answer.tokens_reused >= read
        assert answer.tokens_read <= fresh[question].tokens_read - read
    assert second.prepare(messages, prefix, cancel=CancelToken()) == 0
    second.close()
