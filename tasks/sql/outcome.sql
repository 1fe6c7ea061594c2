-- name: outcome_lock_tasks
-- Statement 1 of a settlement: the tasks of these attempts, locked in id order. What comes back is their newest version. No join: a task
-- that gets another agent while its lock is waited for would drop out of it.
SELECT t.id, t.status, t.generation, t.current_attempt, t.lease_owner, t.attempts_burnt, t.attempts_released, t.attempts_made, t.timeouts,
  t.cancel_requested_at IS NOT NULL AS cancel_requested, (SELECT max_attempts FROM agents WHERE id = t.agent_id) AS max_attempts
FROM tasks t
WHERE t.id = ANY(ARRAY(SELECT task_id FROM task_attempts WHERE id = ANY(%(attempts)s::uuid[])))
ORDER BY t.id FOR UPDATE OF t

-- name: outcome_read_attempts
-- Statement 2, with a snapshot newer than the locks: no settlement of these attempts can be under way any more. Their rivals are locked
-- with them, in id order, since they may have to be flagged. CASE, because OR would make the planner read the index of all that lives.
SELECT id, task_id, generation, status, worker, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd,
  calls, agent_id, client_id, price_id, error_code, settled_at IS NOT NULL AS settled, ended_at IS NOT NULL AS ended, stop_reason, erased_at IS NOT NULL AS erased
FROM task_attempts
WHERE task_id = ANY(ARRAY(SELECT task_id FROM task_attempts WHERE id = ANY(%(attempts)s::uuid[])))
  AND CASE WHEN ended_at IS NULL THEN true ELSE id = ANY(%(attempts)s::uuid[]) END
ORDER BY id FOR UPDATE

-- name: outcome_write
-- Statement 3: what was decided, for all of them at once. Each task is guarded by the state that the decision was made from;
-- a task that becomes terminal or goes back to the queue flags every attempt of it that is not confirmed ended (`rivals`: those of
-- statement 2 that bring no news themselves).
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
given AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset(%(decisions)s::jsonb) AS g(
    task_id bigint, attempt_id uuid, old_status text, generation int, old_current uuid, new_status text, wait_seconds float8,
    burnt int, released int, timeouts int, error_code text, error_message text, confidence float8, needs_review boolean,
    attempt_status text, attempt_error_code text, attempt_error_message text, ended boolean, result jsonb, conflict jsonb, model text,
    input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint, calls int, cost_usd numeric, cost_state text,
    cost_delta numeric, agent_id bigint, client_id bigint, price_id bigint, settled boolean, trace_id text, run_id text, process_seconds float8, max_rss_bytes bigint,
    compute_usd numeric)
),
moved AS (
  UPDATE tasks t SET
    status = g.new_status,
    finished_at = CASE WHEN g.new_status = 'enqueued' THEN NULL ELSE clock.now END,
    available_at = CASE WHEN g.new_status = 'enqueued' THEN clock.now + make_interval(secs => g.wait_seconds) ELSE t.available_at END,
    deferred = g.new_status = 'enqueued' AND g.wait_seconds > 0,
    locked_by = NULL, lease_owner = NULL, lease_expires_at = NULL, cancel_requested_at = NULL, blocked_since = NULL, blocked_by = '',
    attempts_burnt = t.attempts_burnt + g.burnt, attempts_released = t.attempts_released + g.released, timeouts = t.timeouts + g.timeouts,
    result_attempt = CASE WHEN g.new_status = 'completed' THEN g.attempt_id ELSE t.result_attempt END,
    confidence = CASE WHEN g.new_status = 'completed' THEN g.confidence ELSE t.confidence END,
    needs_review = CASE WHEN g.new_status = 'completed' THEN g.needs_review ELSE t.needs_review END,
    error_code = g.error_code, error_message = g.error_message,
    sealed_password = CASE WHEN g.new_status = 'enqueued' THEN t.sealed_password END
  FROM given g, clock
  WHERE g.new_status IS NOT NULL AND t.id = g.task_id AND t.status = g.old_status AND t.generation = g.generation
    AND t.current_attempt IS NOT DISTINCT FROM g.old_current
  RETURNING t.id
),
told AS (
  UPDATE task_attempts a SET
    status = g.attempt_status,
    finished_at = CASE WHEN g.attempt_status IN ('claimed', 'starting', 'running') THEN NULL ELSE coalesce(a.finished_at, clock.now) END,
    ended_at = CASE WHEN g.ended THEN coalesce(a.ended_at, clock.now) ELSE a.ended_at END,
    rate_held_until = CASE WHEN g.ended AND a.ended_at IS NULL
      THEN clock.now + interval '60 seconds' ELSE a.rate_held_until END,
    stop_requested_at = CASE WHEN NOT g.ended AND g.task_id IN (SELECT id FROM moved) THEN coalesce(a.stop_requested_at, clock.now)
      ELSE a.stop_requested_at END,
    stop_reason = CASE WHEN NOT g.ended AND a.stop_reason = '' AND g.task_id IN (SELECT id FROM moved) THEN g.attempt_status ELSE a.stop_reason END,
    last_seen_at = clock.now,
    started_at = coalesce(a.started_at, CASE WHEN g.attempt_status IN ('completed', 'failed', 'timeout') THEN a.claimed_at END),
    error_code = coalesce(g.attempt_error_code, a.error_code), error_message = coalesce(g.attempt_error_message, a.error_message),
    result = coalesce(a.result, g.result), confidence = coalesce(a.confidence, g.confidence), conflict = coalesce(a.conflict, g.conflict),
    model = coalesce(nullif(g.model, ''), a.model), input_tokens = g.input_tokens, output_tokens = g.output_tokens,
    cache_read_tokens = g.cache_read_tokens, cache_write_tokens = g.cache_write_tokens, calls = g.calls,
    cost_usd = g.cost_usd, cost_state = g.cost_state, price_id = g.price_id,
    settled_at = CASE WHEN g.settled THEN coalesce(a.settled_at, clock.now) ELSE a.settled_at END,
    trace_id = coalesce(nullif(g.trace_id, ''), a.trace_id), run_id = coalesce(nullif(g.run_id, ''), a.run_id),
    process_seconds = coalesce(g.process_seconds, a.process_seconds), max_rss_bytes = coalesce(g.max_rss_bytes, a.max_rss_bytes),
    compute_cost_usd = coalesce(a.compute_cost_usd, g.compute_usd),
    compute_cost_state = CASE WHEN a.compute_cost_usd IS NULL AND g.compute_usd IS NOT NULL THEN 'estimated' ELSE a.compute_cost_state END
  FROM given g, clock
  WHERE a.id = g.attempt_id
),
rivals AS (
  UPDATE task_attempts a SET stop_requested_at = coalesce(a.stop_requested_at, clock.now),
    stop_reason = CASE WHEN a.stop_reason = '' THEN 'superseded' ELSE a.stop_reason END,
    status = CASE WHEN a.finished_at IS NULL THEN 'superseded' ELSE a.status END, finished_at = coalesce(a.finished_at, clock.now)
  FROM clock
  WHERE cardinality(%(rivals)s::uuid[]) > 0 AND a.id = ANY(%(rivals)s::uuid[]) AND a.task_id = ANY(ARRAY(SELECT id FROM moved))
),
spent AS (
  -- What is new in these costs, added to one of several counters so that settlements rarely wait for each other. In the order of the
  -- key, because two settlements may meet at the same counters.
  INSERT INTO spending AS s (holder, holder_id, period, starts_on, shard, usd)
  SELECT h.holder, h.id, p.period, p.starts_on, %(shard)s, sum(g.cost_delta)
  FROM given g CROSS JOIN clock
  CROSS JOIN LATERAL (VALUES ('agent', g.agent_id), ('client', g.client_id)) AS h(holder, id)
  CROSS JOIN LATERAL (VALUES ('day', (clock.now AT TIME ZONE 'UTC')::date),
    ('month', date_trunc('month', clock.now AT TIME ZONE 'UTC')::date)) AS p(period, starts_on)
  WHERE g.cost_delta <> 0
  GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
  ON CONFLICT ON CONSTRAINT spending_counter DO UPDATE SET usd = s.usd + excluded.usd
)
SELECT id FROM moved

-- name: outcome_promote_waiting
-- A reprocessed task waits for the runs of its older generations to end; the last confirmation lets it go. Its row is locked already.
-- The array comes out of a subquery so that the planner takes it for short, and "IS NOT DISTINCT FROM" fits no partial index (see
-- claim_take): it goes by the primary key, however much is deferred.
-- One that has had an attempt in its present generation waits for something else: its backoff, or what a provider asked for.
UPDATE tasks t SET deferred = false, available_at = least(t.available_at, agentaudit_now())
WHERE t.id = ANY(ARRAY(SELECT id FROM unnest(%(tasks)s::bigint[]) AS given(id)))
  AND t.status IS NOT DISTINCT FROM 'enqueued' AND t.deferred AND t.current_attempt IS NULL
  AND NOT EXISTS (SELECT FROM task_attempts a WHERE a.task_id = t.id AND a.ended_at IS NULL)

-- name: cool_down
-- A provider said "too many requests": the pool (the agent where it has none) starts nothing more until then.
WITH target AS (SELECT id, pool_id FROM agents WHERE id = %(agent)s),
agent AS (
  UPDATE agents SET cooldown_until = greatest(cooldown_until, agentaudit_now() + make_interval(secs => %(seconds)s))
  WHERE id = (SELECT id FROM target WHERE pool_id IS NULL)
)
UPDATE pools SET cooldown_until = greatest(cooldown_until, agentaudit_now() + make_interval(secs => %(seconds)s))
WHERE id = (SELECT pool_id FROM target)

-- name: prices_of_models
SELECT DISTINCT ON (model) model, id, input_usd, output_usd, cache_read_usd, cache_write_usd
FROM prices WHERE model = ANY(%(models)s::text[]) AND valid_from <= agentaudit_now()
ORDER BY model, valid_from DESC
