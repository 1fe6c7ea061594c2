-- The plainest queue that loses nothing: one table, one partial index over what waits.
CREATE TABLE jobs (
  id bigint PRIMARY KEY,
  status text NOT NULL DEFAULT 'enqueued',
  locked_by text,
  claimed_at timestamptz,
  finished_at timestamptz
);
CREATE INDEX jobs_ready ON jobs (id) WHERE status = 'enqueued';
CREATE SEQUENCE jobs_id;
