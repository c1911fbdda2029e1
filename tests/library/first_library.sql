PRAGMA application_id = 1380207409;
BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'readdesk','first_tables','2026-11-30 05:59:06.425567+00:00');
CREATE TABLE conversations (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    started TEXT NOT NULL
);
INSERT INTO "conversations" VALUES(1,1,'2026-11-30T05:59:06+00:00');
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
INSERT INTO "documents" VALUES(1,'000000000000000000000000000000000000000000000000000000000000000a','191ba47be71307d39f6ec555e966b6e8c589144390ebb6db798a99de32024f4e','The Ferry','["Ann Author", "Béla Szabó"]','en','text','/books/ferry.txt',1234,199,44,'article','["A note."]','2026-11-30T05:59:06+00:00');
INSERT INTO "documents" VALUES(2,'000000000000000000000000000000000000000000000000000000000000000b','191ba47be71307d39f6ec555e966b6e8c589144390ebb6db798a99de32024f4e','Ein Büchlein','[]','en','text','/books/büchlein.txt',1234,199,44,'','["A note."]','2026-11-30T05:59:06+00:00');
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
INSERT INTO "gists" VALUES(1,1,'tiny',1,'The ferry left.','00112233445566aa','',0,100,10,20,2.5,'2026-11-30T05:59:06+00:00');
INSERT INTO "gists" VALUES(2,2,'tiny',1,'It rained.','00112233445566ab','cut',1,90,10,20,2.25,'2026-11-30T05:59:06+00:00');
INSERT INTO "gists" VALUES(3,3,'small',1,'Two lines.','00112233445566ac','opening',0,90,10,20,2.25,'2026-11-30T05:59:06+00:00');
INSERT INTO "gists" VALUES(4,1,'small',1,'Left at six.','00112233445566aa','',0,1,2,3,1.0,'2026-11-30T05:59:06+00:00');
INSERT INTO "gists" VALUES(5,4,'tiny',1,'Die Fähre.','00112233445566aa','verbatim',0,0,0,0,0.0,'2026-11-30T05:59:06+00:00');
CREATE TABLE look_ups (
    question INTEGER NOT NULL REFERENCES questions(id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    page INTEGER NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    shortened INTEGER NOT NULL,
    PRIMARY KEY (question, place)
) WITHOUT ROWID;
INSERT INTO "look_ups" VALUES(1,0,1,'model','the model named it from its gist',0);
INSERT INTO "look_ups" VALUES(1,1,2,'retrieval','its text has “rain”',1);
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
INSERT INTO "pages" VALUES(1,1,1,0,60,0,12,'model');
INSERT INTO "pages" VALUES(2,1,2,60,111,0,11,'end');
INSERT INTO "pages" VALUES(3,1,3,111,173,1,13,'fallback');
INSERT INTO "pages" VALUES(4,2,1,0,60,0,12,'model');
CREATE TABLE paragraphs (
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    section INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    pieces TEXT NOT NULL,
    PRIMARY KEY (document, start)
);
INSERT INTO "paragraphs" VALUES(1,0,0,'heading','The ferry left at six, and nobody was on it but the postman.','0-30 p0:5-35@1.0,2.0,3.5,4.0+0.0,0.0,9.5,9.0
30-60 p0:35-65@1.0,2.0,3.5,4.0+0.0,0.0,9.5,9.0');
INSERT INTO "paragraphs" VALUES(1,60,0,'text','At noon the wind turned and the nets came up empty.','0-25 eOPS/a%20b%3A%C3%BC.xhtml:0.3.1:7-32
25-51 eOPS/a%20b%3A%C3%BC.xhtml:0.3.1:32-58');
INSERT INTO "paragraphs" VALUES(1,111,1,'verse','In the evening the harbour master wrote two lines in his book.','0-31 t120-151
31-62 t151-182');
INSERT INTO "paragraphs" VALUES(1,173,1,'note','Then it rained for a week.','0-13 p3:5-18@1.0,2.0,3.5,4.0+0.0,0.0,9.5,9.0
13-26 p3:18-31@1.0,2.0,3.5,4.0+0.0,0.0,9.5,9.0');
INSERT INTO "paragraphs" VALUES(2,0,0,'heading','The ferry left at six, and nobody was on it but the postman.','0-30 p0:5-35@1.0,2.0,3.5,4.0+0.0,0.0,9.5,9.0
30-60 p0:35-65@1.0,2.0,3.5,4.0+0.0,0.0,9.5,9.0');
INSERT INTO "paragraphs" VALUES(2,60,0,'text','At noon the wind turned and the nets came up empty.','0-25 eOPS/a%20b%3A%C3%BC.xhtml:0.3.1:7-32
25-51 eOPS/a%20b%3A%C3%BC.xhtml:0.3.1:32-58');
INSERT INTO "paragraphs" VALUES(2,111,1,'verse','In the evening the harbour master wrote two lines in his book.','0-31 t120-151
31-62 t151-182');
INSERT INTO "paragraphs" VALUES(2,173,1,'note','Then it rained for a week.','0-13 p3:5-18@1.0,2.0,3.5,4.0+0.0,0.0,9.5,9.0
13-26 p3:18-31@1.0,2.0,3.5,4.0+0.0,0.0,9.5,9.0');
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
INSERT INTO "questions" VALUES(1,1,'tiny','When did it leave?','At six [Page 1].','Read 2 of the 2 pages that have gists so far in full, all as gists.',300,200,12,'2026-11-30T05:59:06+00:00');
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
INSERT INTO "sections" VALUES(1,0,'One',1,-1,0,'1');
INSERT INTO "sections" VALUES(1,1,'Two',1,-1,111,'ii');
INSERT INTO "sections" VALUES(2,0,'One',1,-1,0,'1');
INSERT INTO "sections" VALUES(2,1,'Two',1,-1,111,'ii');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX gists_of_page ON gists(page);
CREATE INDEX questions_of_conversation ON questions(conversation);
COMMIT;
