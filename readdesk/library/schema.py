"""The tables, as migrations that are only ever appended.

A released migration is never edited: an old library gets from where it is to today by running what it lacks. Positions
are character offsets into a document's text. A page belongs to a document; a gist belongs to a page, a model and a
prompt version, and remembers the hash of the text it was made from.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("readdesk")

MIGRATION_NAMES = frozenset({"first_tables", "setting_and_places", "matter_and_choices", "leaves_and_layers"})
"""All migrations this program knows; a file that has others is newer."""


@migrations()
def first_tables(db: Database) -> None:
    """Documents and their text, pages, gists, conversations with their look-ups."""
    db.executescript(_FIRST)


@migrations()
def setting_and_places(db: Database) -> None:
    """How paragraphs are set (a heading's level, emphasis, pictures), and where each document was left."""
    db.execute("ALTER TABLE paragraphs ADD COLUMN level INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE paragraphs ADD COLUMN marks TEXT NOT NULL DEFAULT ''")
    db.execute(_PLACES)


@migrations()
def matter_and_choices(db: Database) -> None:
    """What sections are and which are left out, how texts are read, and where in the text a look-up was."""
    db.executescript(_MATTER)


@migrations()
def leaves_and_layers(db: Database) -> None:
    """What each leaf of a PDF is, what was recognised on it, and highlights, notes and files that came with it."""
    db.executescript(_LEAVES)


_LEAVES = """
ALTER TABLE documents ADD COLUMN labelling TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN numbering TEXT NOT NULL DEFAULT '';
ALTER TABLE sections ADD COLUMN leaf INTEGER NOT NULL DEFAULT -1;
CREATE TABLE leaves (
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    leaf INTEGER NOT NULL,
    start INTEGER NOT NULL,
    label TEXT NOT NULL,
    kind TEXT NOT NULL,
    words INTEGER NOT NULL,
    columns INTEGER NOT NULL,
    quality REAL,
    furniture TEXT NOT NULL,
    PRIMARY KEY (document, leaf)
) WITHOUT ROWID;
CREATE TABLE recognised (
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    leaf INTEGER NOT NULL,
    file_hash TEXT NOT NULL,
    languages TEXT NOT NULL,
    quality REAL NOT NULL,
    words TEXT NOT NULL,
    made TEXT NOT NULL,
    PRIMARY KEY (document, leaf)
) WITHOUT ROWID;
CREATE TABLE highlights (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    start INTEGER,
    end INTEGER,
    anchor TEXT NOT NULL,
    quote TEXT NOT NULL,
    note TEXT NOT NULL,
    author TEXT NOT NULL,
    colour TEXT NOT NULL,
    made TEXT NOT NULL,
    file_key TEXT,
    file_note TEXT NOT NULL DEFAULT '',
    removed INTEGER NOT NULL DEFAULT 0,
    UNIQUE (document, file_key)
);
CREATE TABLE attachments (
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    description TEXT NOT NULL,
    PRIMARY KEY (document, number)
) WITHOUT ROWID;
"""

_MATTER = """
ALTER TABLE sections ADD COLUMN words INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sections ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE sections ADD COLUMN matter TEXT NOT NULL DEFAULT '';
ALTER TABLE sections ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN structure TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN encoding TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN choices TEXT NOT NULL DEFAULT '{}';
ALTER TABLE look_ups ADD COLUMN position INTEGER;
UPDATE look_ups SET position = (
    SELECT pages.start FROM questions JOIN conversations ON conversations.id = questions.conversation
    JOIN pages ON pages.document = conversations.document
    WHERE questions.id = look_ups.question AND pages.number = look_ups.page);
"""

_PLACES = """
CREATE TABLE places (
    document INTEGER PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    view TEXT NOT NULL,
    seen TEXT NOT NULL
)
"""

_FIRST = """
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    file_hash TEXT NOT NULL UNIQUE,
    text_hash TEXT NOT NULL,
    title TEXT NOT NULL,
    authors TEXT NOT NULL,
    language TEXT NOT NULL,
    format TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    words INTEGER NOT NULL,
    kind TEXT NOT NULL,
    notes TEXT NOT NULL,
    added TEXT NOT NULL
);
CREATE TABLE sections (
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    title TEXT NOT NULL,
    level INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    start INTEGER NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (document, number)
) WITHOUT ROWID;
CREATE TABLE paragraphs (
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    section INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    pieces TEXT NOT NULL,
    PRIMARY KEY (document, start)
);
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    section INTEGER NOT NULL,
    words INTEGER NOT NULL,
    broken_by TEXT NOT NULL,
    UNIQUE (document, number),
    UNIQUE (document, start)
);
CREATE TABLE gists (
    id INTEGER PRIMARY KEY,
    page INTEGER NOT NULL REFERENCES pages(id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    prompt_version INTEGER NOT NULL,
    text TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    flag TEXT NOT NULL,
    retried INTEGER NOT NULL,
    tokens_read INTEGER NOT NULL,
    tokens_reused INTEGER NOT NULL,
    tokens_written INTEGER NOT NULL,
    seconds REAL NOT NULL,
    made TEXT NOT NULL,
    UNIQUE (page, model, prompt_version)
);
CREATE TABLE conversations (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    started TEXT NOT NULL
);
CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    coverage TEXT NOT NULL,
    tokens_read INTEGER NOT NULL,
    tokens_reused INTEGER NOT NULL,
    tokens_written INTEGER NOT NULL,
    asked TEXT NOT NULL
);
CREATE TABLE look_ups (
    question INTEGER NOT NULL REFERENCES questions(id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    page INTEGER NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    shortened INTEGER NOT NULL,
    PRIMARY KEY (question, place)
) WITHOUT ROWID;
CREATE INDEX gists_of_page ON gists(page);
CREATE INDEX questions_of_conversation ON questions(conversation);
"""
