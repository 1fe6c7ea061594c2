-- name: plan_by_keys
-- Until the end of the transaction: rows are looked up by their keys, one after the other, by a plan that is made once per connection.
-- Left to itself Postgres plans a statement about an array anew each time, since a plan for the array at hand looks cheaper than one for
-- any; that takes longer than the statement. What is turned off counts as so costly that Postgres before 18 would compile every statement;
-- behind some poolers that is not turned off for the session.
SELECT set_config('enable_seqscan', 'off', true) AS seqscan, set_config('enable_bitmapscan', 'off', true) AS bitmapscan,
  set_config('enable_hashjoin', 'off', true) AS hashjoin, set_config('enable_mergejoin', 'off', true) AS mergejoin,
  set_config('plan_cache_mode', 'force_generic_plan', true) AS plans, set_config('jit', 'off', true) AS jit

-- name: plan_by_indexes
-- Until the end of the transaction: no table is read as a whole that has an index for it. Joins are as the planner likes.
SELECT set_config('enable_seqscan', 'off', true) AS seqscan, set_config('enable_bitmapscan', 'off', true) AS bitmapscan,
  set_config('jit', 'off', true) AS jit
