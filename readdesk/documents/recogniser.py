"""The front process's side of text recognition: leaves recognised in a process of their own, at low priority.

Tesseract takes seconds a leaf, cannot be interrupted and may crash on a picture; that harms only its own request. What
must stay true: no format library is imported here; after `close` the process is gone.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.documents.model import RecognisedLeaf, RecognisedWord
from readdesk.documents.tessdata import RecognitionState as RecognitionState
from readdesk.documents.tessdata import find_tessdata, install_command, recognition_state, usual_language
from readdesk.errors import ReadDeskError
from readdesk.worker import Worker

SILENCE_SECONDS = 300.0
"""How long one leaf may take; a leaf full of small print that has to be turned takes a minute."""

_SERVICE = "readdesk.documents.pdf.recognise:RecognitionService"


class LeafRecogniser:
    """Recognises text; started again by itself when a leaf has brought the process down.

    `folder` is where it keeps copies of Tesseract's data; `service` is another one in tests.
    """

    def __init__(self, folder: Path, output: Path | None = None, service: str = _SERVICE) -> None:
        self._worker = Worker(service, str(folder), name="text recognition", output=output)

    def state(self, language: str = "") -> RecognitionState:
        """What can be recognised here; the hint is for a language (ISO 639-1)."""
        return recognition_state(find_tessdata(), language)

    def languages_for(self, wished: str, language: str = "") -> str:
        """The languages to look for ("deu+eng"): those wished, else the one that suits a document's language.

        Raises ReadDeskError where Tesseract or one of them is not installed.
        """
        state = self.state(language)
        if not state.is_available:
            raise ReadDeskError(
                "Text recognition needs Tesseract, which is not on this computer.", f"Install it: {state.hint}"
            )
        codes = [code.strip() for code in wished.replace(",", "+").split("+") if code.strip()]
        lacking = [code for code in codes if code not in state.languages]
        if lacking:
            known = ", ".join(state.languages)
            raise ReadDeskError(
                f"Tesseract has no data for {', '.join(lacking)} on this computer; it has {known}.",
                f"Choose from these, or install more, for example: {install_command(lacking[0])}",
            )
        return "+".join(dict.fromkeys(codes)) or usual_language(state.languages, language)

    def recognise(
        self, path: Path, password: str | None, leaf: int, languages: str, cancel: CancelToken | None = None
    ) -> RecognisedLeaf:
        """The text of a leaf (0-based); one without any has no words.

        Raises PasswordNeeded, DocumentError, Cancelled, or WorkerError where the leaf brings the process down or takes
        too long.
        """
        words: list[RecognisedWord] = []
        data = str(find_tessdata() or "")
        parts = self._worker.stream(
            "leaf", str(path), password, leaf, languages, data, cancel=cancel, timeout=SILENCE_SECONDS
        )
        for part in parts:
            if isinstance(part, RecognisedLeaf):
                return replace(part, words=tuple(words))
            words += part
        return RecognisedLeaf(leaf, languages, 0.0, tuple(words))

    def close(self) -> None:
        """End the process."""
        self._worker.close()
