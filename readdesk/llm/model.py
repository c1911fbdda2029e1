"""Values of the language model's room: what is sent, what comes back, which limits hold, which models there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Role = Literal["system", "user", "assistant"]
CacheKind = Literal["plain", "window", "recurrent"]
ModelKind = Literal["chat", "embedder"]


@dataclass(frozen=True)
class Message:
    """One turn of a conversation with a model."""

    role: Role
    content: str


@dataclass(frozen=True)
class Limits:
    """How a reply is made: its longest length in tokens, how freely words are chosen, and what binds it.

    `temperature` 0 always takes the likeliest token. A run of more than `longest_copy` tokens that stands in the
    prompt, or in the reply already, gets less likely with every further one; 0 does not look. `grammar` is in
    llama.cpp's GBNF, `schema` is a JSON schema as text, used where there is no grammar; the reply then matches it,
    unless it is cut off by its length.
    """

    max_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repeat_penalty: float = 1.0
    longest_copy: int = 0
    seed: int = 1
    stop: tuple[str, ...] = ()
    grammar: str | None = None
    schema: str | None = None


@dataclass(frozen=True)
class Request:
    """One of several prompts that are answered together."""

    messages: tuple[Message, ...]
    limits: Limits


@dataclass(frozen=True)
class Prefix:
    """The beginning of a prompt whose computed state is kept on disk: whose it is, and how far it goes.

    It ends after so many characters of the last message. `owner` names one thing with one such beginning (a document's
    memory); what is kept for it is replaced when the beginning changes.
    """

    owner: str
    characters: int


@dataclass(frozen=True)
class Reply:
    """A whole reply: its raw text, why it ended, and its cost in tokens (read anew, reused, written)."""

    text: str
    finish: Literal["stop", "length"]
    tokens_read: int = 0
    tokens_reused: int = 0
    tokens_written: int = 0


@dataclass(frozen=True)
class Choice:
    """What a model thinks of each option as the beginning of its reply, as log-probabilities in the options' order."""

    log_probabilities: tuple[float, ...]
    tokens_read: int = 0
    tokens_reused: int = 0

    @property
    def best(self) -> int:
        """The index of the likeliest option."""
        return max(range(len(self.log_probabilities)), key=self.log_probabilities.__getitem__)


@dataclass(frozen=True)
class Likelihood:
    """How likely a given reply is: the sum of its tokens' log-probabilities, and how many tokens it has."""

    log_probability: float
    tokens: int
    tokens_read: int = 0
    tokens_reused: int = 0


@dataclass(frozen=True)
class EngineInfo:
    """What runs: the model's name, context in tokens, device, cache kind, threads, measured speeds in tokens a second.

    `together` is how many replies are worth writing at once, and `tokens_together` how many tokens their prompts and
    they themselves should take in all (beyond that, replies are written one after the other, and what `choose` has read
    is forgotten before it serves again); `bytes_per_token` is what one token takes of the model's memory; `gpu_layers`
    of its `layers` are on the device, where that is no CPU; `note` is a sentence for the person where something is not
    as it was asked for. What is 0 is not known.
    """

    model: str
    context: int
    device: str = "CPU"
    cache: CacheKind = "plain"
    threads: int = 0
    batch_threads: int = 0
    decode_speed: float = 0.0
    has_template: bool = True
    prompt_speed: float = 0.0
    together: int = 1
    tokens_together: int = 0
    bytes_per_token: int = 0
    gpu_layers: int = 0
    layers: int = 0
    note: str = ""

    @property
    def words(self) -> str:
        """What the model runs on and how fast, as far as it is known, then what must be known of it."""
        facts = "; ".join(filter(None, (self._threads_words(), self._speed_words())))
        runs = f"{self.model} runs {self._place_words()}{': ' if facts else ''}{facts}."
        return f"{runs} {self.warning}".rstrip()

    @property
    def warning(self) -> str:
        """What a person must know before the model is used; "" for nothing."""
        plain = "" if self.has_template else "This model has no chat template: it is asked in plain words."
        return " ".join(filter(None, (self.note, plain)))

    def _place_words(self) -> str:
        if not self.gpu_layers:
            return f"on the {self.device}"
        of_all = f" of {self.layers}" if self.layers else ""
        return f"with {self.gpu_layers}{of_all} layers on the {self.device}"

    def _threads_words(self) -> str:
        one = self.threads == 1
        if not self.threads:
            return ""
        if not self.batch_threads or self.batch_threads == self.threads:
            return "1 thread" if one else f"{self.threads} threads"
        return f"{self.threads} thread{' writes' if one else 's write'}, {self.batch_threads} read"

    def _speed_words(self) -> str:
        if not self.decode_speed:
            return ""
        speed = f"{self.decode_speed:,.0f}" if self.decode_speed >= 10 else f"{self.decode_speed:.2g}"
        return f"about {speed} tokens a second"


@dataclass(frozen=True)
class LoadOptions:
    """How a model is loaded: context in tokens, threads that write (0 measures), layers on a GPU (-1 for all).

    `folder` is where measured speeds and computed memories are kept, none without; `cache_limit` is how many bytes of
    computed memories are kept there.
    """

    context: int
    threads: int = 0
    gpu_layers: int = -1
    folder: Path | None = None
    cache_limit: int = 0


@dataclass(frozen=True)
class Source:
    """One place a model can be had: an https address, or parts that lie as data inside Python packages.

    For packages, each entry of `parts` is (package, version, path inside the package), joined in order.
    """

    url: str = ""
    parts: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class ModelFile:
    """One file of a model: name inside the model's folder ("" for a single-file model), bytes, SHA-256."""

    name: str
    size: int
    sha256: str
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class ModelRecord:
    """One model of the catalogue, or one a person added by path (then `path` is set and nothing can be downloaded).

    `memory_gb` is the memory of a computer it suits; `context` is the longest the model was made for, in tokens.
    """

    name: str
    title: str
    licence: str
    good_for: str
    kind: ModelKind = "chat"
    files: tuple[ModelFile, ...] = ()
    context: int = 0
    cache: CacheKind = "plain"
    memory_gb: int = 0
    languages: str = ""
    starred: bool = False
    path: str = ""
    sampling: Mapping[str, float] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True)
class ModelState:
    """A model of the catalogue, whether it is on this computer, and then how many bytes a token takes of its memory."""

    record: ModelRecord
    installed: bool
    bytes_per_token: int = 0
