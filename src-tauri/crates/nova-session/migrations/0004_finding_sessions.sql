-- A session may stand first, be put away, or wait in the trash until it is purged.
ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1));
ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));
-- RFC 3339
ALTER TABLE sessions ADD COLUMN deleted_at TEXT;

-- What the user and Nova said, to be found again. What tools read is not in it, nor what Nova said
-- after it had read private notes.
CREATE TABLE said (
    id      INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn    TEXT NOT NULL,
    speaker TEXT NOT NULL CHECK (speaker IN ('user', 'nova')),
    at      TEXT NOT NULL,
    text    TEXT NOT NULL
) STRICT;
CREATE INDEX said_by_session ON said (session);

-- Three characters at a time, so that parts of words are found, in scripts without spaces, too.
CREATE VIRTUAL TABLE said_index USING fts5 (
    text, content = 'said', content_rowid = 'id', tokenize = 'trigram remove_diacritics 1'
);
-- What is purged leaves no trace in the index.
INSERT INTO said_index (said_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER said_added AFTER INSERT ON said BEGIN
    INSERT INTO said_index (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER said_gone AFTER DELETE ON said BEGIN
    INSERT INTO said_index (said_index, rowid, text) VALUES ('delete', old.id, old.text);
END;

-- The log alone decides, whichever Nova writes it.
CREATE TRIGGER log_is_said AFTER INSERT ON log
WHEN new.kind = 'event'
    AND new.body ->> 'type' IN ('turn_started', 'message_completed')
    AND coalesce(new.body ->> 'private', 0) = 0
    AND new.body ->> 'text' <> ''
BEGIN
    INSERT INTO said (session, turn, speaker, at, text)
    VALUES (new.session,
            coalesce(new.body ->> 'turn', ''),
            iif(new.body ->> 'type' = 'turn_started', 'user', 'nova'),
            coalesce(new.body ->> 'at', ''),
            new.body ->> 'text');
END;

-- Older logs do not say which notes were private: answers in sessions that read any stay out.
INSERT INTO said (session, turn, speaker, at, text)
SELECT session,
       coalesce(body ->> 'turn', ''),
       iif(body ->> 'type' = 'turn_started', 'user', 'nova'),
       coalesce(body ->> 'at', ''),
       body ->> 'text'
FROM log
WHERE kind = 'event'
  AND body ->> 'text' <> ''
  AND (body ->> 'type' = 'turn_started'
       OR (body ->> 'type' = 'message_completed'
           AND session NOT IN (SELECT session FROM log WHERE kind = 'message' AND body -> 'notes' IS NOT NULL)))
ORDER BY body ->> 'at', session, seq;
