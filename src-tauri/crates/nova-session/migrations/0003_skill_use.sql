-- What skills did, one row per day: of a tool its calls, and under the tool '' the activations of the
-- skill. The numbers are independent of the sessions they come from.
CREATE TABLE skill_use (
    skill        TEXT NOT NULL,
    tool         TEXT NOT NULL,
    -- YYYY-MM-DD in UTC
    day          TEXT NOT NULL,
    activations  INTEGER NOT NULL,
    calls        INTEGER NOT NULL,
    errors       INTEGER NOT NULL,
    ms           INTEGER NOT NULL,
    output_bytes INTEGER NOT NULL,
    -- RFC 3339
    last_used    TEXT NOT NULL,
    PRIMARY KEY (skill, tool, day)
) STRICT, WITHOUT ROWID;

-- What was last said in an error goes when the session goes in which it was said.
CREATE TABLE last_error (
    skill   TEXT PRIMARY KEY NOT NULL,
    tool    TEXT NOT NULL,
    at      TEXT NOT NULL,
    message TEXT NOT NULL,
    session TEXT REFERENCES sessions (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX last_error_by_session ON last_error (session);

-- The logs are counted this once.
INSERT INTO skill_use
SELECT body ->> 'skill', '', substr(body ->> 'at', 1, 10), count(*), 0, 0, 0, 0, max(body ->> 'at')
FROM log
WHERE kind = 'event' AND body ->> 'type' = 'skill_activated'
GROUP BY 1, 3;

CREATE TEMP TABLE ended AS
SELECT substr(began.tool, 1, instr(began.tool, '.') - 1) AS skill,
       substr(began.tool, instr(began.tool, '.') + 1) AS tool,
       done.body ->> 'at' AS at,
       done.body ->> 'ok' AS ok,
       done.body ->> 'ms' AS ms,
       length(CAST(done.body -> 'output' AS BLOB)) AS bytes,
       coalesce(done.body -> 'output' ->> 'message', '') AS message,
       done.session AS session
FROM log AS done
JOIN (SELECT session, body ->> 'call' AS call, body ->> 'tool' AS tool
      FROM log
      WHERE kind = 'event' AND body ->> 'type' = 'tool_call_started') AS began
  ON began.session = done.session AND began.call = done.body ->> 'call'
WHERE done.kind = 'event'
  AND done.body ->> 'type' = 'tool_call_completed'
  AND instr(began.tool, '.') > 0
  AND NOT (done.body ->> 'ok' = 0 AND coalesce(done.body -> 'output' ->> 'code', '') = 'unknown_tool');

INSERT INTO skill_use
SELECT skill, tool, substr(at, 1, 10), 0, count(*), sum(ok = 0), sum(ms), sum(bytes), max(at)
FROM ended
GROUP BY skill, tool, substr(at, 1, 10);

-- Of columns beside a single max() SQLite takes those of the row that has it.
INSERT INTO last_error (skill, tool, at, message, session)
SELECT skill, tool, max(at), message, session FROM ended WHERE ok = 0 GROUP BY skill;

DROP TABLE ended;
