-- One row per saved conversation.
CREATE TABLE sessions (
    id         TEXT PRIMARY KEY NOT NULL,
    title      TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    model      TEXT
) STRICT;

-- What happened in it, append-only. kind: 'event' (an envelope as the window sees it) or
-- 'message' (what the model is sent). seq is shared by both.
CREATE TABLE log (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq     INTEGER NOT NULL,
    kind    TEXT NOT NULL CHECK (kind IN ('event', 'message')),
    body    TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
