-- Claim ten jobs in one statement, then complete each with an UPDATE of its own: what most queues do at best. Every statement commits.
WITH taken AS (
  UPDATE jobs SET status = 'processing', locked_by = 'pgbench', claimed_at = now()
  WHERE id = ANY(ARRAY(SELECT id FROM jobs WHERE status = 'enqueued' ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED))
  RETURNING id
), ids AS (SELECT array_agg(id) AS ids FROM taken)
SELECT ids[1] AS j1, ids[2] AS j2, ids[3] AS j3, ids[4] AS j4, ids[5] AS j5,
  ids[6] AS j6, ids[7] AS j7, ids[8] AS j8, ids[9] AS j9, ids[10] AS j10 FROM ids \gset
UPDATE jobs SET status = 'completed', locked_by = NULL, finished_at = now() WHERE id = :j1;
UPDATE jobs SET status = 'completed', locked_by = NULL, finished_at = now() WHERE id = :j2;
UPDATE jobs SET status = 'completed', locked_by = NULL, finished_at = now() WHERE id = :j3;
UPDATE jobs SET status = 'completed', locked_by = NULL, finished_at = now() WHERE id = :j4;
UPDATE jobs SET status = 'completed', locked_by = NULL, finished_at = now() WHERE id = :j5;
UPDATE jobs SET status = 'completed', locked_by = NULL, finished_at = now() WHERE id = :j6;
UPDATE jobs SET status = 'completed', locked_by = NULL, finished_at = now() WHERE id = :j7;
UPDATE jobs SET status = 'completed', locked_by = NULL, finished_at = now() WHERE id = :j8;
UPDATE jobs SET status = 'completed', locked_by = NULL, finished_at = now() WHERE id = :j9;
UPDATE jobs SET status = 'completed', locked_by = NULL, finished_at = now() WHERE id = :j10;
