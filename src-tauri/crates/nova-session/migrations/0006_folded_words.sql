-- What is searched is folded by Nova, as the query is: a database folds other accents, and not in words
-- that are shorter than its pieces. None: not folded yet.
ALTER TABLE said ADD COLUMN folded TEXT;
CREATE INDEX said_unfolded ON said (id) WHERE folded IS NULL;

DROP TRIGGER said_added;
DROP TRIGGER said_gone;
DROP TABLE said_index;
CREATE VIRTUAL TABLE said_index USING fts5 (
    folded, content = 'said', content_rowid = 'id', tokenize = 'trigram case_sensitive 1'
);
-- What is purged leaves no trace in the index.
INSERT INTO said_index (said_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER said_folded AFTER UPDATE OF folded ON said WHEN old.folded IS NULL BEGIN
    INSERT INTO said_index (rowid, folded) VALUES (new.id, new.folded);
END;
CREATE TRIGGER said_gone AFTER DELETE ON said WHEN old.folded IS NOT NULL BEGIN
    INSERT INTO said_index (said_index, rowid, folded) VALUES ('delete', old.id, old.folded);
END;
