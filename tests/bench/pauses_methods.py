"""Ways of finding a pause: each gives the places of a window scores, the higher the likelier.

Without a model: the program's own way, its parts alone, new words, the longest page. With one: its labels, its surprise
at the beginning of what follows, dips in the likeness of sentence embeddings; and the sums of several, each in standard
deviations. Embeddings and language models are loaded only where they are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from unittest.mock import patch

from readdesk.cancel import CancelToken
from readdesk.llm.local import LocalEngine
from readdesk.llm.model import LoadOptions
from readdesk.reading import pauses
from readdesk.reading.prompts import break_messages
from tests.bench.pauses_model import Reading, Surprised
from tests.bench.pauses_windows import Window

Scores = list[list[float] | None]
"""For every window the scores of its places, or None where it was not looked at."""

_NEVER = -1000.0
_SURPRISED = 4
"""First tokens of what follows a place, whose surprise counts; 1, 2 and 8 were no better."""

_EMBEDDED_WORDS = 160
_LABELS_WEIGHT = 0.5


def product(window: Window) -> list[float]:
    """The program's own way: what `best_pause` compares, and the places that it never takes behind them."""
    texts, places = _shifted(window)
    inside = {len(window.before) + place for place in window.inside}
    best = pauses._strongest(texts, places, inside, ())
    scores = dict(zip(best, pauses.pause_scores(texts, best), strict=True))
    return [scores.get(place, _NEVER) for place in places]


def _shifted(window: Window) -> tuple[list[str], list[int]]:
    """The texts around a window with its own, and its places among them."""
    first = len(window.before)
    return [*window.before, *window.texts, *window.after], [first + place for place in window.places]


def _likeness(window: Window, compared: int, beginning: float | None = None) -> list[float]:
    """The dip in the likeness of words, without regard to where paragraphs end."""
    texts, places = _shifted(window)
    worth = pauses._BEGINNING if beginning is None else beginning
    with patch.object(pauses, "_COMPARED", compared), patch.object(pauses, "_BEGINNING", worth):
        return pauses.pause_scores(texts, places)


def _within_paragraphs_last(window: Window, scores: list[float]) -> list[float]:
    return [score + _NEVER * (place in window.inside) for score, place in zip(scores, window.places, strict=True)]


def _structure(window: Window) -> list[float]:
    """Only the ends of paragraphs and the beginnings with a capital letter."""
    texts, places = _shifted(window)
    anew = [float(pauses._begins_anew(texts, place + 1)) for place in places]
    return _within_paragraphs_last(window, anew)


def _new_words(window: Window, words: int) -> list[float]:
    """How many of the words that follow a place did not come before it in the page, the rare ones counting for more."""
    texts, places = _shifted(window)
    split = [pauses._words(text) for text in texts]
    rarity = pauses._rarity(split)
    scores = []
    for place in places:
        seen = {word for text in split[len(window.before) : place + 1] for word in text}
        follow = [word for text in split[place + 1 :] for word in text][:words]
        whole = sum(rarity[word] for word in follow)
        scores.append(sum(rarity[word] for word in follow if word not in seen) / (whole or 1.0))
    return scores


FREE: Mapping[str, Callable[[Window], list[float]]] = {
    "ours": product,
    "longest page": lambda window: [float(place) for place in window.places],
    "structure alone": _structure,
    **{f"words, {count} a side": partial(_likeness, compared=count, beginning=0.0) for count in (80, 120, 200, 280)},
    **{f"new words among {count}": partial(_new_words, words=count) for count in (40, 120)},
}


# -- with models ---------------------------------------------------------------------------------------------------


def read_by_model(
    windows: Sequence[Window], order: Sequence[int], path: Path, threads: int, keep: Path | None
) -> dict[str, Scores]:
    """What a language model makes of the windows in this order: its labels, and its surprise."""
    readings = _readings(windows, order, path, threads, keep)
    labels: Scores = [None] * len(windows)
    surprise: Scores = [None] * len(windows)
    for at, reading in readings.items():
        labels[at] = list(reading.labels)
        surprise[at] = surprise_of(windows[at], reading, _SURPRISED)
    at_ends: Scores = [
        _within_paragraphs_last(window, scores) if scores else None
        for window, scores in zip(windows, labels, strict=True)
    ]
    return {
        f"{path.stem}: labels": labels,
        f"{path.stem}: labels, paragraphs' ends": at_ends,
        f"{path.stem}: surprise": surprise,
    }


def apart_from_engine(windows: Sequence[Window], order: Sequence[int], path: Path, keep: Path | None) -> float:
    """The largest difference between the labels' scores here and those of the program's engine, on two windows."""
    engine = LocalEngine(path.stem, path, LoadOptions(context=4096))
    apart = 0.0
    try:
        for at in order[:2]:
            window = windows[at]
            messages = break_messages(window.title, window.texts, window.label_of)
            choice = engine.choose(messages, window.labels, CancelToken())
            reading = _readings(windows, [at], path, 1, keep)[at]
            pairs = zip(choice.log_probabilities, reading.labels, strict=True)
            apart = max(apart, *(abs(one - other) for one, other in pairs))
    finally:
        engine.close()
    return apart


def surprise_of(window: Window, reading: Reading, tokens: int) -> list[float]:
    """The mean surprise at the first tokens after each place; the mean of the others where the window ends."""
    means = [-sum(first[:tokens]) / max(1, len(first[:tokens])) for first in reading.firsts]
    known = [means[place + 1] for place in window.places if place + 1 < len(means)]
    usual = sum(known) / max(1, len(known))
    return [means[place + 1] if place + 1 < len(means) else usual for place in window.places]


def _readings(
    windows: Sequence[Window], order: Sequence[int], path: Path, threads: int, keep: Path | None
) -> dict[int, Reading]:
    """One reading of each window, by its number; those kept from before are not made again."""
    by_text = {_key(window): at for at, window in enumerate(windows)}
    file = keep / f"pauses-{path.stem}.jsonl" if keep else None
    found: dict[int, Reading] = {}
    for line in file.read_text("utf-8").splitlines() if file and file.exists() else ():
        kept = json.loads(line)
        if kept["key"] in by_text:
            firsts = tuple(map(tuple, kept["firsts"]))
            found[by_text[kept["key"]]] = Reading(tuple(kept["labels"]), firsts, kept["tokens"])
    missing = [at for at in order if at not in found]
    if missing and path.exists():
        model = Surprised(path, threads)
        for number, at in enumerate(missing, start=1):
            reading = found[at] = model.read(windows[at])
            print(f"  {path.stem} has read {number} of {len(missing)} windows", end="\r", flush=True)
            if file:
                made = {"key": _key(windows[at]), "labels": reading.labels, "firsts": reading.firsts}
                with file.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(made | {"tokens": reading.tokens}) + "\n")
        model.close()
    return found


def _key(window: Window) -> str:
    """What tells a window from all others."""
    return f"{window.book} {window.texts[0][:60]} … {window.texts[-1][-60:]} {len(window.texts)} {window.true}"


def combined(model: str, ways: Mapping[str, Scores], found: Mapping[str, Scores]) -> dict[str, Scores]:
    """Sums of what a model says, and of that with what is had without it."""
    labels, surprise = found[f"{model}: labels"], found[f"{model}: surprise"]
    sums: dict[str, Scores] = {
        f"{model}: labels + surprise": added([labels, surprise], (1.0, 1.0)),
        f"{model}: ours + labels / 2": added([ways["ours"], labels], (1.0, _LABELS_WEIGHT)),
        f"{model}: ours + surprise / 2": added([ways["ours"], surprise], (1.0, _LABELS_WEIGHT)),
        f"{model}: ours + both / 2": added([ways["ours"], labels, surprise], (1.0, _LABELS_WEIGHT, _LABELS_WEIGHT)),
    }
    if "MiniLM" in ways:
        sums[f"{model}: labels + MiniLM"] = added([labels, ways["MiniLM"]], (1.0, 1.0))
    return sums


def added(ways: Sequence[Scores], weights: Sequence[float]) -> Scores:
    """Several ways together, each in standard deviations; where a place is out of the question it stays so."""
    whole: Scores = []
    for found in zip(*ways, strict=True):
        known = [scores for scores in found if scores is not None]
        whole.append(_added(known, weights) if len(known) == len(ways) else None)
    return whole


def _added(ways: Sequence[list[float]], weights: Sequence[float]) -> list[float]:
    out = [any(scores[at] < _NEVER / 2 for scores in ways) for at in range(len(ways[0]))]
    sums = [_NEVER * is_out for is_out in out]
    for scores, weight in zip(ways, weights, strict=True):
        possible = [score for score, is_out in zip(scores, out, strict=True) if not is_out or all(out)]
        mean = sum(possible) / len(possible)
        spread = (sum((score - mean) ** 2 for score in possible) / len(possible)) ** 0.5
        for at, score in enumerate(scores):
            sums[at] += weight * (score - mean) / spread if spread and (not out[at] or all(out)) else 0.0
    return sums


def embedded(windows: Sequence[Window], order: Sequence[int], path: Path) -> dict[str, Scores]:
    """Dips in the likeness of sentence embeddings before and after each place."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - it brings torch, five seconds

    model = SentenceTransformer(str(path), device="cpu")
    dips: Scores = [None] * len(windows)
    for number, at in enumerate(order, start=1):
        window = windows[at]
        texts = [*window.texts, *window.after]
        sides = [(" ".join(texts[: place + 1]), " ".join(texts[place + 1 :])) for place in window.places]
        pieces = [piece for before, after in sides for piece in (_last_words(before), _first_words(after))]
        vectors = model.encode(pieces, normalize_embeddings=True, show_progress_bar=False)
        dips[at] = [-float(vectors[2 * index] @ vectors[2 * index + 1]) for index in range(len(sides))]
        print(f"  MiniLM has read {number} of {len(order)} windows", end="\r", flush=True)
    ours: Scores = [product(window) for window in windows]
    return {"MiniLM": dips, "ours + MiniLM": added([ours, dips], (1.0, 1.0))}


def _last_words(text: str) -> str:
    words = text.split()
    return " ".join(words[-_EMBEDDED_WORDS:]) if len(words) > len(text) / 20 else text[-2 * _EMBEDDED_WORDS :]


def _first_words(text: str) -> str:
    words = text.split()
    return " ".join(words[:_EMBEDDED_WORDS]) if len(words) > len(text) / 20 else text[: 2 * _EMBEDDED_WORDS]
