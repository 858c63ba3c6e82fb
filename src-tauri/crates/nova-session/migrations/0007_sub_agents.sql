-- The session of a sub-agent lies under the one whose turn started it, and goes with it.
ALTER TABLE sessions ADD COLUMN parent TEXT REFERENCES sessions (id) ON DELETE CASCADE;
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;
