-- name: plan_by_keys
-- Until the end of the transaction: rows are looked up by their keys, one after the other.
SELECT set_config('enable_seqscan', 'off', true) AS seqscan, set_config('enable_bitmapscan', 'off', true) AS bitmapscan,
  set_config('enable_hashjoin', 'off', true) AS hashjoin, set_config('enable_mergejoin', 'off', true) AS mergejoin

-- name: plan_by_indexes
-- Until the end of the transaction: no table is read as a whole that has an index for it. Joins are as the planner likes.
SELECT set_config('enable_seqscan', 'off', true) AS seqscan, set_config('enable_bitmapscan', 'off', true) AS bitmapscan
