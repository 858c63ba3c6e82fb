-- What messages show beside their text; which message shows what stands in the log. One row for equal
-- bytes of a session.
CREATE TABLE images (
    session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes      BLOB NOT NULL,
    PRIMARY KEY (session, id)
) STRICT;
