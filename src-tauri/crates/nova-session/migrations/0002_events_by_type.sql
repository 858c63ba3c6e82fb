-- What was used how often is counted from the events of few types.
CREATE INDEX log_events_by_type ON log (body ->> 'type') WHERE kind = 'event';
