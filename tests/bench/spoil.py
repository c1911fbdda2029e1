"""Ways to spoil a file: bytes, zip archives, markup, packages. Each takes a source of chance and what it spoils.

Everything is drawn from the `random.Random` that is handed in, so the same seed spoils in the same way.
"""

from __future__ import annotations

import io
import random
import re
import struct
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Members = list[tuple[str, bytes]]
Spoiler = Callable[[random.Random, bytes], bytes]

SECRET = "the-secret-of-another-file-7f3a"
"""What stands in a file that no document may read; it must never be part of a text."""

_TEXT_NAME = re.compile(r"\.(x?html?|opf|ncx|xml)$", re.IGNORECASE)
_EDGES = (0, 1, 8, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF)


# -- bytes -------------------------------------------------------------------------------------------------------


def flip(chance: random.Random, data: bytes) -> bytes:
    """Change some bytes."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 3, 20, 200))):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def insert(chance: random.Random, data: bytes) -> bytes:
    """Put foreign bytes in."""
    place = chance.randrange(len(data) + 1)
    foreign = chance.choice((b"\0" * 50, b"\xff\xfe", b"PK\x03\x04", b"<", b"&", chance.randbytes(200)))
    return data[:place] + foreign + data[place:]


def delete(chance: random.Random, data: bytes) -> bytes:
    """Take a stretch out."""
    start = chance.randrange(len(data))
    return data[:start] + data[start + chance.choice((1, 10, 1000, 20_000)) :] or b"x"


def duplicate(chance: random.Random, data: bytes) -> bytes:
    """Say a stretch twice."""
    start = chance.randrange(len(data))
    end = start + chance.choice((1, 100, 10_000))
    return data[:end] + data[start:end] + data[end:]


def truncate(chance: random.Random, data: bytes) -> bytes:
    """Cut the end, or the beginning, off."""
    place = chance.randrange(len(data)) + 1
    return data[:place] if chance.random() < 0.8 else data[place - 1 :]


def blank(chance: random.Random, data: bytes) -> bytes:
    """Make a stretch zeros, as a broken download does."""
    start = chance.randrange(len(data))
    length = min(chance.choice((16, 512, 4096)), len(data) - start)
    return data[:start] + b"\0" * length + data[start + length :]


BYTES: Mapping[str, Spoiler] = {
    "flip": flip,
    "insert": insert,
    "delete": delete,
    "duplicate": duplicate,
    "truncate": truncate,
    "blank": blank,
}


# -- zip archives ------------------------------------------------------------------------------------------------


def members_of(data: bytes) -> Members:
    """What a zip archive holds."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(member.filename, archive.read(member)) for member in archive.infolist() if not member.is_dir()]


def packed(members: Members) -> bytes:
    """A zip archive; the same members always give the same bytes."""
    target = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(target, "w") as archive:
        warnings.simplefilter("ignore")  # It warns of members that are there twice, which is meant.
        for name, data in members:
            is_text = bool(_TEXT_NAME.search(name))
            member = zipfile.ZipInfo(name or "x")
            archive.writestr(member, data, zipfile.ZIP_DEFLATED if is_text else zipfile.ZIP_STORED, compresslevel=1)
    return target.getvalue()


def swap_members(chance: random.Random, data: bytes) -> bytes:
    """Two members have each other's content."""
    members = members_of(data)
    left, right = chance.randrange(len(members)), chance.randrange(len(members))
    (name, first), (other, second) = members[left], members[right]
    members[left], members[right] = (name, second), (other, first)
    return packed(members)


def lose_members(chance: random.Random, data: bytes) -> bytes:
    """Some members are gone, or there twice."""
    members = members_of(data)
    lost = {chance.randrange(len(members)) for _ in range(chance.choice((1, 2, 5)))}
    if chance.random() < 0.3:
        return packed([*members, *(members[number] for number in sorted(lost))])
    return packed([member for number, member in enumerate(members) if number not in lost])


def rename_members(chance: random.Random, data: bytes) -> bytes:
    """Members have names that lead out of the archive or are no names at all."""
    members = members_of(data)
    for _ in range(chance.choice((1, 3))):
        number = chance.randrange(len(members))
        name, content = members[number]
        new = chance.choice(
            (
                *(f"../../{name}", f"/{name}", f"C:\\{name}", f"..\\..\\{name}", f"{name}/", f"./{name}", name.upper()),
                *("", ".", "..", "a" * 60_000, "\u202e" + name, "\ud7ff\u0301" + name, name + ":stream", "CON", " "),
            )
        )
        members[number] = (new, content)
    spoilt = packed(members)
    if chance.random() < 0.4:  # A name that is no UTF-8, in both headers, without a change of length.
        name = members[chance.randrange(len(members))][0]
        if name.isascii() and len(name) > 4:
            spoilt = spoilt.replace(name.encode(), b"\xff\xfe\x00" + name.encode()[3:])
    return spoilt


def header_fields(chance: random.Random, data: bytes) -> bytes:
    """Sizes, flags, methods, offsets and counts of the headers say something else."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 2, 6))):
        signature, width = chance.choice(((b"PK\x03\x04", 30), (b"PK\x01\x02", 46), (b"PK\x05\x06", 22)))
        places = [match.start() for match in re.finditer(re.escape(signature), data)]
        if places:
            place = chance.choice(places) + chance.randrange(4, width - 3)
            form = chance.choice(("<H", "<I"))
            value = chance.choice((*_EDGES, chance.getrandbits(32))) & (0xFFFF if form == "<H" else 0xFFFFFFFF)
            changed[place : place + struct.calcsize(form)] = struct.pack(form, value)
    return bytes(changed[: len(data)])


def corrupt_streams(chance: random.Random, data: bytes) -> bytes:
    """The packed bytes of a member are not what they were."""
    changed = bytearray(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in chance.sample(archive.infolist(), k=min(3, len(archive.infolist()))):
            start = member.header_offset + 30 + len(member.filename.encode())
            for _ in range(chance.choice((1, 8))):
                place = start + chance.randrange(max(1, member.compress_size))
                changed[min(place, len(changed) - 1)] ^= 1 << chance.randrange(8)
    return bytes(changed)


def swell(chance: random.Random, data: bytes) -> bytes:
    """A member unpacks to far more than it takes."""
    members = members_of(data)
    number = chance.choice([number for number, (name, _) in enumerate(members) if _TEXT_NAME.search(name)])
    unit = chance.choice((b" ", b"<p>x</p>", b"a", b"<br/>", b"<b>", b"\n"))
    size = chance.choice((500_000, 2_000_000, 15_000_000, 30_000_000))
    content = members[number][1]
    place = max(content.rfind(b"</body>"), 0)
    members[number] = (members[number][0], content[:place] + unit * (size // len(unit)) + content[place:])
    return packed(members)


ARCHIVES: Mapping[str, Spoiler] = {
    "swap_members": swap_members,
    "lose_members": lose_members,
    "rename_members": rename_members,
    "header_fields": header_fields,
    "corrupt_streams": corrupt_streams,
    "swell": swell,
}


@dataclass(frozen=True)
class Inside:
    """Spoils one member of an archive, chosen among those whose name fits, and packs all again."""

    name: re.Pattern[str]
    spoiler: Spoiler

    def __call__(self, chance: random.Random, data: bytes) -> bytes:
        members = members_of(data)
        fitting = [number for number, (name, content) in enumerate(members) if self.name.search(name) and content]
        if not fitting:
            return flip(chance, data)
        number = chance.choice(fitting)
        members[number] = (members[number][0], self.spoiler(chance, members[number][1]))
        return packed(members)
