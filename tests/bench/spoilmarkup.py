"""Ways to spoil markup and packages: what is not closed, goes too deep, points in circles or asks for other files.

The functions are handed the bytes of an XML, XHTML or HTML file as it stands in real books, and work on its letters,
since a parser would mend what is to be broken.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from tests.bench.spoil import Spoiler

_DEEP = 10_000
_TAG = re.compile(rb"</?[A-Za-z][^>]*>")
_END_TAG = re.compile(rb"</[A-Za-z][^>]*>")
_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*\?>")
_DOCTYPE = re.compile(rb"<!DOCTYPE[^>\[]*(\[.*?\])?\s*>", re.DOTALL | re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"""\b(id|idref|href|src|media-type|properties|full-path|toc|playOrder)=("[^"]*"|'[^']*')""")


# -- markup ------------------------------------------------------------------------------------------------------


def unclosed(chance: random.Random, data: bytes) -> bytes:
    """Tags are missing, or stand in another order."""
    tags = list((_END_TAG if chance.random() < 0.6 else _TAG).finditer(data))
    for tag in sorted(chance.sample(tags, k=min(len(tags), chance.choice((1, 3, 30)))), key=lambda one: -one.start()):
        data = data[: tag.start()] + chance.choice((b"", b"</x>", b"<", b"<p", b"</p></div>")) + data[tag.end() :]
    return data


def entities(chance: random.Random, data: bytes) -> bytes:
    """References to characters that are none, and to names that nobody knows."""
    return _put(
        chance,
        data,
        (b"&nosuch;", b"&#0;", b"&#x110000;", b"&#xD800;", b"&", b"&;", b"&#;", b"&nbsp;&hellip;&mdash;", b"&#x1F600;"),
        chance.choice((1, 20)),
    )


def deep(chance: random.Random, data: bytes) -> bytes:
    """Elements within elements, ten thousand deep."""
    name = chance.choice(
        (b"div", b"span", b"blockquote", b"ul", b"li", b"table", b"em", b"section", b"ruby", b"rt", b"a")
    )
    depth = chance.choice((300, 2_000, _DEEP))
    closing = b"</%s>" % name * depth if chance.random() < 0.8 else b""
    return _in_body(data, b"<%s>" % name * depth + b"deep" + closing)


def many(chance: random.Random, data: bytes) -> bytes:
    """A hundred thousand of the same thing."""
    unit = chance.choice(
        (
            *(b"<br/>", b"<p/>", b"<p>x</p>", b"<a id='x'/>", b"<img src='x.png' alt='y'/>", b"<td>1</td>", b"<hr/>"),
            *(b"<sup><a href='#n'>1</a></sup>", b"<ruby>a<rt>b</rt></ruby>", b"<span class='pagebreak'>1</span>", b"x"),
            *(
                "\u0301".encode(),
                b"<b><i>x</i></b>",
                b"<!-- c -->",
                b"<?p i?>",
                b"<![CDATA[x]]>",
                b"&amp;",
                b"<h1>x</h1>",
            ),
        )
    )
    return _in_body(data, unit * chance.choice((1_000, 20_000, 60_000)))


def huge_attributes(chance: random.Random, data: bytes) -> bytes:
    """Attributes of megabytes, and thousands of them."""
    if chance.random() < 0.5:
        name = chance.choice((b"class", b"style", b"id", b"title", b"href"))
        return _in_body(data, b"<p %s='%s'>x</p>" % (name, chance.choice((b"x", b"x ", b"a:b;")) * 1_500_000))
    attributes = b" ".join(b"a%d='%d'" % (number, number) for number in range(20_000))
    return _in_body(data, b"<p %s>x</p>" % attributes)


def bomb(chance: random.Random, data: bytes) -> bytes:
    """Entities that unfold to a billion letters, or to themselves."""
    depth = chance.choice((3, 6, 10))
    lines = [b'<!ENTITY e0 "ha">', *(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, depth))]
    if chance.random() < 0.2:
        lines = [b'<!ENTITY e0 "&e1;">', b'<!ENTITY e1 "&e0;">']
    elif chance.random() < 0.3:
        lines = [b'<!ENTITY e1 "%s">' % (b"a" * 50_000)]
        return _with_entities(data, lines, b"<p>" + b"&e1;" * 5_000 + b"</p>")
    return _with_entities(data, lines, b"<p>&e%d;</p>" % (len(lines) - 1))


def external(chance: random.Random, data: bytes) -> bytes:
    """Entities, documents and styles that lie in other files, which must not be read."""
    place = chance.choice(
        (b"secret.txt", b"file://SECRET", b"http://localhost:9/x", b"file:///dev/zero", b"../mimetype")
    )
    lines = [b'<!ENTITY x SYSTEM "%s">' % place]
    if chance.random() < 0.4:
        lines = [b'<!ENTITY %% p SYSTEM "%s">' % place, b"%p;", *lines]
    included = b'<x:include xmlns:x="http://www.w3.org/2001/XInclude" parse="text" href="%s"/>' % place
    return _with_entities(data, lines, b"<p>&x;</p>" + included)


def wrong_encoding(chance: random.Random, data: bytes) -> bytes:
    """What the declaration says is not what the bytes are."""
    name = chance.choice(
        (b"utf-16", b"utf-16le", b"ucs-4", b"ascii", b"shift_jis", b"gb18030", b"ebcdic-cp-us", b"x-no", b"", b"utf-7")
    )
    body = _DECLARATION.sub(b"", data)
    if chance.random() < 0.3:
        encoding = chance.choice(("utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis", "gb18030"))
        body = body.decode("utf-8", "replace").encode(encoding, "replace")
    return b'<?xml version="1.0" encoding="%s"?>' % name + body


def odd_characters(chance: random.Random, data: bytes) -> bytes:
    """Zeros, controls, halves of characters, bytes that are no UTF-8."""
    odd = (
        b"\0",
        b"\x0b",
        b"\x1b[2J",
        b"\xed\xa0\x80",
        b"\xc0\xaf",
        b"\xf5\x80\x80\x80",
        b"\xff",
        b"\xef\xbf\xbe",
        b"\xc3",
    )
    return _put(chance, data, odd, chance.choice((1, 30)))


def something_else(chance: random.Random, data: bytes) -> bytes:
    """A member that is none of what it should be."""
    return chance.choice(
        (
            *(b"", b" ", b"<", b"<a", b"{}", b"\0" * 1000, b"<html/>", b"<html><body/></html>", b"plain words\n" * 50),
            *(
                b"<!DOCTYPE html>",
                b"<?xml version='1.0'?>",
                b"\xff\xfe<\0a\0>\0",
                b"\x89PNG\r\n\x1a\n" + chance.randbytes(500),
            ),
            *(data[:60], data + data, data[::-1], b"<svg xmlns='http://www.w3.org/2000/svg'><text>x</text></svg>"),
        )
    )


MARKUP: Mapping[str, Spoiler] = {
    "unclosed": unclosed,
    "entities": entities,
    "deep": deep,
    "many": many,
    "huge_attributes": huge_attributes,
    "bomb": bomb,
    "external": external,
    "wrong_encoding": wrong_encoding,
    "odd_characters": odd_characters,
    "something_else": something_else,
}


def _put(chance: random.Random, data: bytes, what: tuple[bytes, ...], count: int) -> bytes:
    for _ in range(count):
        place = chance.randrange(len(data) + 1)
        data = data[:place] + chance.choice(what) + data[place:]
    return data


def _in_body(data: bytes, what: bytes) -> bytes:
    place = data.rfind(b"</body>")
    place = place if place >= 0 else max(data.rfind(b"</"), 0)
    return data[:place] + what + data[place:]


def _with_entities(data: bytes, lines: list[bytes], use: bytes) -> bytes:
    data = _DOCTYPE.sub(b"", data, count=1)
    declaration = _DECLARATION.match(data)
    at = declaration.end() if declaration else 0
    return data[:at] + b"<!DOCTYPE html [%s]>" % b"\n".join(lines) + _in_body(data[at:], use)


# -- packages, contents ------------------------------------------------------------------------------------------


def wrong_references(chance: random.Random, data: bytes) -> bytes:
    """Ids that are missing, there twice, or lead elsewhere; links out of the book."""
    places = list(_ATTRIBUTE.finditer(data))
    values = [place[2] for place in places] or [b'"x"']
    count = chance.choice((1, 4, len(places) // 2))
    for place in sorted(chance.sample(places, k=min(len(places), count)), key=lambda one: -one.start()):
        value = chance.choice(
            (
                *(
                    chance.choice(values),
                    b'""',
                    b'"#"',
                    b'"?"',
                    b'"%zz%ff%00"',
                    b'"../../../../etc/passwd"',
                    b'"."',
                    b'"/"',
                ),
                *(
                    b'"file:///etc/passwd"',
                    b'"http://localhost:9/x.xhtml"',
                    b'"' + b"a/" * 20_000 + b'"',
                    b'"content.opf"',
                ),
                b'"\xff"',
            )
        )
        new = b"" if chance.random() < 0.2 else place[1] + b"=" + value
        data = data[: place.start()] + new + data[place.end() :]
    return data


def repeated(chance: random.Random, data: bytes) -> bytes:
    """An entry of a list, some thousand times."""
    entries = list(re.finditer(rb"<(item|itemref|li|navPoint|rootfile|dc:\w+)\b[^>]*?(/>|>.*?</\1>)", data, re.DOTALL))
    if not entries:
        return duplicate_root(chance, data)
    entry = chance.choice(entries)
    return data[: entry.end()] + entry[0] * chance.choice((2, 500, 10_000)) + data[entry.end() :]


def duplicate_root(chance: random.Random, data: bytes) -> bytes:
    """The whole inside of itself."""
    body = _DECLARATION.sub(b"", data)
    return _in_body(data, body) if chance.random() < 0.5 else data + body


def nested(chance: random.Random, data: bytes) -> bytes:
    """Contents within contents, thousands deep, each leading to the next or to the contents themselves."""
    depth = chance.choice((50, 900, 5_000))
    link = chance.choice((b"", b"#a", b"nav.xhtml", b"toc.ncx", b"../x.xhtml"))
    if b"navMap" in data:
        opening = b'<navPoint id="p"><navLabel><text>t</text></navLabel><content src="%s"/>' % link
        return data.replace(b"</navMap>", opening * depth + b"</navPoint>" * depth + b"</navMap>", 1)
    opening = b'<ol><li><a href="%s">t</a>' % link
    place = data.rfind(b"</nav>")
    inside = opening * depth + b"</li></ol>" * depth
    return data[:place] + inside + data[place:] if place >= 0 else _in_body(data, inside)


def without_part(chance: random.Random, data: bytes) -> bytes:
    """A part of the package is gone, empty, or called something else."""
    name = chance.choice((b"metadata", b"manifest", b"spine", b"navMap", b"nav", b"package", b"dc:title", b"rootfiles"))
    part = re.search(rb"<%s\b.*?(</%s>|/>)" % (name, name), data, re.DOTALL)
    if part is None:
        return data.replace(b"xmlns", b"xmlnx")
    way = chance.randrange(3)
    new = (b"", b"<%s/>" % name, part[0].replace(name, b"x:" + name))[way]
    return data[: part.start()] + new + data[part.end() :]


PACKAGES: Mapping[str, Spoiler] = {
    "wrong_references": wrong_references,
    "repeated": repeated,
    "duplicate_root": duplicate_root,
    "nested": nested,
    "without_part": without_part,
    "package_unclosed": unclosed,
    "package_bomb": bomb,
    "package_external": external,
    "package_deep": deep,
    "package_something_else": something_else,
    "package_odd_characters": odd_characters,
    "package_wrong_encoding": wrong_encoding,
    "package_huge_attributes": huge_attributes,
}
