"""What the window needs to show a document: leaves drawn, words located, pictures unpacked.

These jobs run in a lane of their own. Whoever asks for other leaves stops the job before: what is not on the screen any
more need not be drawn. A leaf that cannot be drawn is told and does not end the others; one that takes long is shown as
far as it is drawn within a few seconds, and better when the others have been drawn, as far as there is patience.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from readdesk.cancel import Cancelled
from readdesk.documents.drawer import PATIENCE_SECONDS, LeafDrawer
from readdesk.documents.glyphs import recognised_lines, runs_of
from readdesk.documents.model import LACKS, Anchor, LeafSpot, Picture
from readdesk.errors import DocumentError
from readdesk.jobs.events import LeafDrawn, OpenedLeaves, Overtaken, Started
from readdesk.jobs.lane import Steps, Turn
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library


@dataclass(frozen=True)
class _Try:
    """One try to draw a leaf: for how many seconds, and whether with larger pixels."""

    seconds: float
    is_coarse: bool = False


_TRIES = (_Try(PATIENCE_SECONDS), _Try(6.0, is_coarse=True), _Try(14.0))
"""What is left out in the first one may be all that matters, so the whole comes next, if need be without detail."""


@dataclass(frozen=True)
class Shown:
    """The document that is shown, and the password of its file where it has one."""

    record: DocumentRecord
    password: str | None = field(default=None, repr=False)

    @property
    def file(self) -> Path:
        """Where the file lies; raises DocumentError when it has gone."""
        path = Path(self.record.path)
        if not path.is_file():
            raise DocumentError(
                f"The file of \u201c{self.record.title}\u201d is no longer at {path}.",
                "Put it back, or add it from where it lies now; its text and gists are kept.",
            )
        return path


def open_leaves(number: int, turn: Turn, library: Library, drawer: LeafDrawer, shown: Shown) -> Steps:
    """Open a PDF for drawing; comes to OpenedLeaves. Raises PasswordNeeded, DocumentError."""
    yield Started(number, f"Opening \u201c{shown.record.title}\u201d")
    file = shown.file
    if file.stat().st_size != shown.record.size:
        raise DocumentError(
            f"The file of \u201c{shown.record.title}\u201d was replaced by another one since it was added.",
            "What you see is the text that was read then; add the new file to read that.",
        )
    leaves = drawer.open(file, shown.password, turn.cancel)
    labels = library.leaves.labels(shown.record)
    if len(labels) == len(leaves) and any(labels):  # What was found, or said by the reader, beside the file's own.
        leaves = tuple(replace(leaf, label=label) for leaf, label in zip(leaves, labels, strict=True))
    starts = library.leaves.starts(shown.record)
    if len(starts) != len(leaves):  # It was added before leaves were kept.
        starts = library.documents.leaf_starts(shown.record, len(leaves))
    return OpenedLeaves(leaves, starts)


def draw_leaves(
    number: int, turn: Turn, drawer: LeafDrawer, shown: Shown, leaves: Sequence[int], scale: float
) -> Steps:
    """Draw leaves at a scale, the first one first; a LeafDrawn each, and more of those that take long."""
    yield Started(number, "Drawing")
    waiting = deque((leaf, 0) for leaf in leaves)
    best: dict[int, Picture] = {}
    while waiting:
        leaf, tried = waiting[0]
        this, before = _TRIES[tried], best.get(leaf)
        goes_on, error = tried + 1 < len(_TRIES), None
        try:
            picture: Picture | None = drawer.leaf(
                shown.file, shown.password, leaf, scale, turn.cancel, seconds=this.seconds, is_coarse=this.is_coarse
            )
        except Cancelled:
            turn.overtaken()
            yield Overtaken(number)
            continue
        except DocumentError as failure:
            picture, goes_on, error = before, False, None if before else failure
        waiting.popleft()
        picture = _better(before, picture)
        goes_on = goes_on and picture is not None and picture.lack != ""
        if picture is not before or not goes_on:
            yield LeafDrawn(number, leaf, scale, picture, error, goes_on)
        if goes_on and picture is not None:
            best[leaf] = picture
            waiting.append((leaf, tried + 1))
        else:
            best.pop(leaf, None)


def _better(before: Picture | None, now: Picture | None) -> Picture | None:
    """The picture that shows more: all of a leaf, if need be without detail, rather than a part of it."""
    if before is None or now is None:
        return now or before
    if now.lack == "rest" and now.width < before.width:  # A part, and without detail too.
        return before
    return now if LACKS.index(now.lack) <= LACKS.index(before.lack) else before


def locate(number: int, turn: Turn, library: Library, drawer: LeafDrawer, shown: Shown, span: tuple[int, int]) -> Steps:
    """Find where the words between two positions are drawn; comes to an Anchor with their very rectangles."""
    yield Started(number, "Looking for the place")
    anchor = library.documents.anchor(shown.record, *span)
    spots = tuple(spot for spot in anchor.spots if isinstance(spot, LeafSpot))
    known = library.recognised.locate(shown.record, spots)  # The file itself knows nothing of their words.
    others = tuple(spot for spot in spots if spot not in known)
    drawn = drawer.locate(shown.file, shown.password, others, turn.cancel) if others else ()
    located = {**known, **dict(zip(others, drawn, strict=True))}
    return Anchor(tuple(located[spot] for spot in spots))


def find_links(number: int, turn: Turn, drawer: LeafDrawer, shown: Shown, leaf: int) -> Steps:
    """Find the links on a leaf; comes to a tuple of Link."""
    yield Started(number, "Looking for links")
    return drawer.links(shown.file, shown.password, leaf, turn.cancel)


def find_glyphs(number: int, turn: Turn, library: Library, drawer: LeafDrawer, shown: Shown, leaf: int) -> Steps:
    """Find where the text of a leaf is drawn; comes to a tuple of GlyphRun in the order of reading."""
    yield Started(number, "Looking for words")
    paragraphs = library.documents.on_leaf(shown.record, leaf)
    if not paragraphs:  # Nor is the file asked then: some leaves have no text because finding it takes for ever.
        return ()
    recognised = library.recognised.leaf(shown.record, leaf)
    if recognised is not None:  # The file itself knows nothing of its words.
        lines = recognised_lines(recognised)
    else:
        lines = drawer.glyphs(shown.file, shown.password, leaf, turn.cancel)
    return runs_of(paragraphs, leaf, lines)


def find_highlights(number: int, library: Library, record: DocumentRecord) -> Steps:
    """Look up what is marked in a document; comes to a tuple of Highlight."""
    yield Started(number, "Looking for highlights and notes")
    return library.highlights.all(record)


def unpack_picture(number: int, turn: Turn, drawer: LeafDrawer, shown: Shown, member: str, widest: int) -> Steps:
    """Unpack a picture of an EPUB, at most so many pixels wide; comes to the Picture."""
    yield Started(number, "Unpacking a picture")
    return drawer.picture(shown.file, member, widest, turn.cancel)
