-- name: claim_candidates
-- Agents with a ready task, best head first. Paused, cooling and full agents are left out here, before anything is limited,
-- so that a full agent's backlog never hides another agent's work. Unlocked: a hint, the locked row decides.
-- Lines whose beginning is known (tasks.heads) are looked at from there on, level by level.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
live AS MATERIALIZED (
  SELECT agent_id, pool_id, count(*) AS running, sum(reserved_tpm) AS tpm
  FROM task_attempts WHERE ended_at IS NULL GROUP BY agent_id, pool_id
),
by_agent AS (SELECT agent_id, sum(running) AS running, sum(tpm) AS tpm FROM live GROUP BY agent_id),
by_pool AS (SELECT pool_id, sum(running) AS running, sum(tpm) AS tpm FROM live WHERE pool_id IS NOT NULL GROUP BY pool_id),
priced AS MATERIALIZED (SELECT DISTINCT v.agent_id FROM prices r JOIN agent_versions v ON v.model = r.model WHERE v.model <> '')
SELECT a.id AS agent_id, head.priority,
  a.pool_id IS NOT NULL OR a.max_concurrent_tasks IS NOT NULL OR a.max_tpm IS NOT NULL OR a.max_output_tpm IS NOT NULL
    OR a.max_requests_per_minute IS NOT NULL OR a.spend_stop_per_day IS NOT NULL OR a.spend_stop_per_month IS NOT NULL
    OR coalesce(a.cooldown_until > clock.now - %(gentle_for)s::interval, false) AS limited,
  a.spend_warn_per_day IS NOT NULL OR a.spend_stop_per_day IS NOT NULL OR a.spend_warn_per_month IS NOT NULL
    OR a.spend_stop_per_month IS NOT NULL AS has_purse,
  a.document_cost_ceiling IS NOT NULL AS has_ceiling,
  priced.agent_id IS NOT NULL AS has_prices, a.pool_id IS NOT NULL AS has_pool
FROM clock, agents a
LEFT JOIN priced ON priced.agent_id = a.id
LEFT JOIN pools p ON p.id = a.pool_id
LEFT JOIN by_agent ON by_agent.agent_id = a.id
LEFT JOIN by_pool ON by_pool.pool_id = a.pool_id
CROSS JOIN LATERAL (
  (SELECT t.priority, t.enqueued_at FROM tasks t
  WHERE t.agent_id = a.id AND t.status = 'enqueued' AND NOT t.deferred AND a.id <> ALL(%(known_agents)s::bigint[])
  ORDER BY t.priority DESC, t.start_key, t.id LIMIT 1)
  UNION ALL
  (SELECT t.priority, t.enqueued_at
  FROM unnest(%(known_agents)s::bigint[], %(known_levels)s::smallint[], %(known_keys)s::bigint[]) known(agent_id, priority, start_key)
  CROSS JOIN LATERAL (
    SELECT t.priority, t.enqueued_at FROM tasks t
    WHERE t.agent_id = a.id AND t.priority = known.priority AND t.start_key >= known.start_key AND t.status = 'enqueued' AND NOT t.deferred
    ORDER BY t.start_key, t.id LIMIT 1
  ) t
  WHERE known.agent_id = a.id
  ORDER BY t.priority DESC LIMIT 1)
) head
WHERE NOT a.is_paused AND NOT (SELECT is_paused OR maintenance_since IS NOT NULL FROM switches)
  AND a.executor = ANY(%(executors)s)
  AND (a.cooldown_until IS NULL OR a.cooldown_until <= clock.now)
  AND (p.cooldown_until IS NULL OR p.cooldown_until <= clock.now)
  AND (a.max_concurrent_tasks IS NULL OR coalesce(by_agent.running, 0) < a.max_concurrent_tasks)
  AND (p.max_concurrent_tasks IS NULL OR coalesce(by_pool.running, 0) < p.max_concurrent_tasks)
  AND (a.max_tpm IS NULL OR coalesce(by_agent.tpm, 0) < a.max_tpm)
  AND (p.max_tpm IS NULL OR coalesce(by_pool.tpm, 0) < p.max_tpm)
ORDER BY head.priority DESC, head.enqueued_at, a.id

-- name: claim_levels
-- Where each level of some agents' lines begins, for tasks.heads: one descent per level, from each to the next lower one.
WITH RECURSIVE level AS (
  SELECT a.id AS agent_id, head.priority, head.start_key
  FROM unnest(%(agents)s::bigint[]) a(id)
  CROSS JOIN LATERAL (
    SELECT t.priority, t.start_key FROM tasks t
    WHERE t.agent_id = a.id AND t.status = 'enqueued' AND NOT t.deferred
    ORDER BY t.priority DESC, t.start_key, t.id LIMIT 1
  ) head
  UNION ALL
  SELECT level.agent_id, lower.priority, lower.start_key
  FROM level
  CROSS JOIN LATERAL (
    SELECT t.priority, t.start_key FROM tasks t
    WHERE t.agent_id = level.agent_id AND t.priority < level.priority AND t.status = 'enqueued' AND NOT t.deferred
    ORDER BY t.priority DESC, t.start_key, t.id LIMIT 1
  ) lower
)
SELECT agent_id, priority, start_key FROM level

-- name: claim_lock_agent
-- Statement 1 of a claim. The lock is taken before anything is counted: a count in the same statement would use a snapshot
-- older than the lock, and over-admits. Limits and pause are those that this row holds now. SKIP LOCKED: somebody else is
-- claiming for this agent, or an operator is editing it; another agent is tried meanwhile.
SELECT a.id, a.pool_id, a.executor, a.max_concurrent_tasks, a.max_tpm, a.max_output_tpm, a.max_requests_per_minute, a.cooldown_until,
  a.document_cost_ceiling, a.spend_warn_per_day, a.spend_stop_per_day, a.spend_warn_per_month, a.spend_stop_per_month,
  agentaudit_now() AS now
FROM agents a
WHERE a.id = %(agent)s AND NOT a.is_paused AND NOT (SELECT is_paused OR maintenance_since IS NOT NULL FROM switches)
  AND (a.cooldown_until IS NULL OR a.cooldown_until <= agentaudit_now())
FOR NO KEY UPDATE OF a SKIP LOCKED

-- name: claim_share_agent
-- The same for an agent without any limit: claims of several workers may share the row, and an operator who sets a limit still
-- waits for them. The row that comes back says whether it is still without limits.
SELECT a.id, a.pool_id, a.executor, a.max_concurrent_tasks, a.max_tpm, a.max_output_tpm, a.max_requests_per_minute, a.cooldown_until,
  a.document_cost_ceiling, a.spend_warn_per_day, a.spend_stop_per_day, a.spend_warn_per_month, a.spend_stop_per_month,
  agentaudit_now() AS now
FROM agents a
WHERE a.id = %(agent)s AND NOT a.is_paused AND NOT (SELECT is_paused OR maintenance_since IS NOT NULL FROM switches)
  AND (a.cooldown_until IS NULL OR a.cooldown_until <= agentaudit_now())
FOR SHARE OF a SKIP LOCKED

-- name: claim_lock_pool
-- Statement 2: the pool of the agent, if it names one.
SELECT p.id, p.max_concurrent_tasks, p.max_tpm, p.max_output_tpm, p.max_requests_per_minute, p.cooldown_until
FROM pools p
WHERE p.id = (SELECT pool_id FROM agents WHERE id = %(agent)s)
  AND (p.cooldown_until IS NULL OR p.cooldown_until <= agentaudit_now())
FOR NO KEY UPDATE OF p SKIP LOCKED

-- name: claim_count
-- Statement 3, with a snapshot newer than the locks: what the agent and its pool use. An attempt counts until its end is confirmed,
-- whatever its task's state; its rates count as long, and then for what a provider's last minute still holds of them: the share of its
-- run that lies less than 60 seconds back (admission.lingering says the same). The upper bound of rate_held_until is always
-- true: with it the planner takes a narrow range for granted, without it a third of all attempts (and then scans the table).
-- date_part and not extract, which counts in decimals: thousands of attempts may lie in one minute.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
held AS (
  SELECT 'agent' AS holder, ended_at, coalesce(started_at, claimed_at) AS began, reserved_tpm, reserved_output_tpm, reserved_rpm FROM task_attempts
  WHERE agent_id = %(agent)s AND rate_held_until > (SELECT now FROM clock) AND rate_held_until <= '9999-01-01'
  UNION ALL
  SELECT 'pool', ended_at, coalesce(started_at, claimed_at), reserved_tpm, reserved_output_tpm, reserved_rpm FROM task_attempts
  WHERE pool_id = (SELECT pool_id FROM agents WHERE id = %(agent)s)
    AND rate_held_until > (SELECT now FROM clock) AND rate_held_until <= '9999-01-01'
),
shares AS (
  SELECT holder, ended_at, reserved_tpm, reserved_output_tpm, reserved_rpm,
    CASE WHEN ended_at IS NULL THEN 1 ELSE least(1, greatest(0,
      date_part('epoch', ended_at - greatest(began, clock.now - interval '60 seconds'))
      / greatest(0.001::float8, least(60, date_part('epoch', ended_at - began))))) END AS share
  FROM held, clock
)
SELECT holder, count(*) FILTER (WHERE ended_at IS NULL) AS running, coalesce(sum(reserved_tpm * share), 0) AS tpm,
  coalesce(sum(reserved_output_tpm * share), 0) AS output_tpm, coalesce(sum(reserved_rpm * share), 0) AS rpm
FROM shares GROUP BY holder

-- name: claim_look_ahead
-- Statement 4: the next tasks in order, read without locks; more than there are slots, because the first ones may not fit.
-- A task that budgets are kept free for is looked at wherever it stands.
SELECT * FROM (
  SELECT t.id, t.client_id, t.agent_version_id, t.priority, t.start_key, t.attempts_made, t.estimated_tokens, t.estimated_output_tokens,
    t.estimated_requests, t.estimated_seconds, t.blocked_since, t.blocked_by
  FROM tasks t
  WHERE t.agent_id = %(agent)s AND t.status = 'enqueued' AND NOT t.deferred AND t.blocked_since IS NULL
  ORDER BY t.priority DESC, t.start_key, t.id
  LIMIT %(look_ahead)s
) line
UNION ALL
SELECT * FROM (
  SELECT t.id, t.client_id, t.agent_version_id, t.priority, t.start_key, t.attempts_made, t.estimated_tokens, t.estimated_output_tokens,
    t.estimated_requests, t.estimated_seconds, t.blocked_since, t.blocked_by
  FROM tasks t
  WHERE t.agent_id = %(agent)s AND t.status = 'enqueued' AND NOT t.deferred AND t.blocked_since IS NOT NULL
  ORDER BY t.blocked_since
  LIMIT %(look_ahead)s
) kept
ORDER BY priority DESC, start_key, id

-- name: claim_look_ahead_from
-- The same for a line whose beginning is known: of its highest level, from there on.
SELECT * FROM (
  SELECT t.id, t.client_id, t.agent_version_id, t.priority, t.start_key, t.attempts_made, t.estimated_tokens, t.estimated_output_tokens,
    t.estimated_requests, t.estimated_seconds, t.blocked_since, t.blocked_by
  FROM tasks t
  WHERE t.agent_id = %(agent)s AND t.priority = %(level)s AND t.start_key >= %(start_key)s
    AND t.status = 'enqueued' AND NOT t.deferred AND t.blocked_since IS NULL
  ORDER BY t.start_key, t.id
  LIMIT %(look_ahead)s
) line
UNION ALL
SELECT * FROM (
  SELECT t.id, t.client_id, t.agent_version_id, t.priority, t.start_key, t.attempts_made, t.estimated_tokens, t.estimated_output_tokens,
    t.estimated_requests, t.estimated_seconds, t.blocked_since, t.blocked_by
  FROM tasks t
  WHERE t.agent_id = %(agent)s AND t.status = 'enqueued' AND NOT t.deferred AND t.blocked_since IS NOT NULL
  ORDER BY t.blocked_since
  LIMIT %(look_ahead)s
) kept
ORDER BY priority DESC, start_key, id

-- name: claim_look_ahead_locked
-- The same for an agent without limits, where nobody else waits for the agent's row: each of several workers locks tasks of its own.
SELECT t.id, t.client_id, t.agent_version_id, t.priority, t.attempts_made, t.estimated_tokens, t.estimated_output_tokens, t.estimated_requests,
  t.estimated_seconds, t.blocked_since, t.blocked_by
FROM tasks t
WHERE t.agent_id = %(agent)s AND t.status = 'enqueued' AND NOT t.deferred
ORDER BY t.priority DESC, t.start_key, t.id
LIMIT %(look_ahead)s FOR UPDATE SKIP LOCKED

-- name: claim_look_ahead_locked_from
-- The same for a line whose beginning is known.
SELECT t.id, t.client_id, t.agent_version_id, t.priority, t.attempts_made, t.estimated_tokens, t.estimated_output_tokens, t.estimated_requests,
  t.estimated_seconds, t.blocked_since, t.blocked_by
FROM tasks t
WHERE t.agent_id = %(agent)s AND t.priority = %(level)s AND t.start_key >= %(start_key)s AND t.status = 'enqueued' AND NOT t.deferred
ORDER BY t.start_key, t.id
LIMIT %(look_ahead)s FOR UPDATE SKIP LOCKED

-- name: claim_look_ahead_by_client
-- The same while some client is held (paused, or over its spend limit): heads per client, so that a held client's backlog costs nothing.
SELECT * FROM (
  SELECT t.* FROM clients c CROSS JOIN LATERAL (
    SELECT t.id, t.client_id, t.agent_version_id, t.priority, t.start_key, t.attempts_made, t.estimated_tokens, t.estimated_output_tokens,
      t.estimated_requests, t.estimated_seconds, t.blocked_since, t.blocked_by
    FROM tasks t
    WHERE t.agent_id = %(agent)s AND t.client_id = c.id AND t.status = 'enqueued' AND NOT t.deferred AND t.blocked_since IS NULL
    ORDER BY t.priority DESC, t.start_key, t.id LIMIT %(look_ahead)s
  ) t
  WHERE c.id <> ALL(%(held_clients)s::bigint[])
  ORDER BY t.priority DESC, t.start_key, t.id
  LIMIT %(look_ahead)s
) line
UNION ALL
SELECT * FROM (
  SELECT t.id, t.client_id, t.agent_version_id, t.priority, t.start_key, t.attempts_made, t.estimated_tokens, t.estimated_output_tokens,
    t.estimated_requests, t.estimated_seconds, t.blocked_since, t.blocked_by
  FROM tasks t
  WHERE t.agent_id = %(agent)s AND t.status = 'enqueued' AND NOT t.deferred AND t.blocked_since IS NOT NULL
    AND t.client_id <> ALL(%(held_clients)s::bigint[])
  ORDER BY t.blocked_since
  LIMIT %(look_ahead)s
) kept
ORDER BY priority DESC, start_key, id

-- name: claim_pool_reservation
-- The task that the pool is kept free for by now: of those of all its agents the highest, and of these the one that has not fitted for
-- longest. One that could not start anyway (paused, cooling, its client held, nobody alive to run it) keeps nothing free.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now)
SELECT t.id, t.agent_id, t.priority, t.blocked_since
FROM clock, agents a
CROSS JOIN LATERAL (
  SELECT * FROM (
    SELECT id, agent_id, priority, blocked_since FROM tasks
    WHERE agent_id = a.id AND status = 'enqueued' AND NOT deferred AND blocked_by = 'pool'
      AND blocked_since IS NOT NULL AND blocked_since <= (SELECT now FROM clock) - %(reserve_after)s::interval
      AND client_id <> ALL(%(held_clients)s::bigint[])
    ORDER BY blocked_since LIMIT 100
  ) kept
  ORDER BY priority DESC, blocked_since, id LIMIT 1
) t
WHERE a.pool_id = (SELECT pool_id FROM agents WHERE id = %(agent)s)
  AND NOT a.is_paused AND (a.cooldown_until IS NULL OR a.cooldown_until <= clock.now)
  AND (a.executor = ANY(%(executors)s::text[]) OR EXISTS (
    SELECT FROM workers w WHERE w.stopped_at IS NULL AND w.stopping_at IS NULL AND w.slots > 0 AND a.executor = ANY(w.executors)
      AND w.heartbeat_at > clock.now - make_interval(secs => %(lease_seconds)s)))
ORDER BY t.priority DESC, t.blocked_since, t.id LIMIT 1

-- name: claim_prices
-- What the versions of an agent cost per million tokens now, for an estimate of what a task will cost.
SELECT v.id AS version_id, p.input_usd, p.output_usd
FROM agent_versions v
CROSS JOIN LATERAL (
  SELECT input_usd, output_usd FROM prices
  WHERE model = v.model AND valid_from <= (SELECT agentaudit_now()) ORDER BY valid_from DESC LIMIT 1
) p
WHERE v.agent_id = %(agent)s AND v.model <> ''

-- name: claim_costs
-- What the tasks at the head of an agent's line have cost so far, over all their attempts and generations; for agents with a ceiling.
SELECT a.task_id, sum(a.cost_usd) AS usd
FROM task_attempts a
WHERE a.task_id = ANY(%(tasks)s::bigint[]) AND a.cost_usd > 0
GROUP BY a.task_id

-- name: claim_refuse
-- Tasks that would cost more than their agent allows per document fail before anything is started. Like everything that makes a task
-- terminal it flags what is not confirmed ended. "IS NOT DISTINCT FROM": see claim_take.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
chosen AS (SELECT * FROM unnest(%(tasks)s::bigint[], %(messages)s::text[]) AS c(task_id, message)),
locked AS MATERIALIZED (
  SELECT id FROM tasks
  WHERE id = ANY(%(tasks)s::bigint[]) AND agent_id = %(agent)s AND status IS NOT DISTINCT FROM 'enqueued' AND NOT deferred
  ORDER BY id FOR UPDATE SKIP LOCKED
),
refused AS (
  UPDATE tasks t SET status = 'failed', finished_at = clock.now, error_code = 'over_budget', error_message = c.message,
    blocked_since = NULL, blocked_by = '', sealed_password = NULL
  FROM chosen c, clock
  WHERE t.id = ANY(ARRAY(SELECT id FROM locked)) AND t.id = c.task_id AND t.status IS NOT DISTINCT FROM 'enqueued'
  RETURNING t.id
),
flagged AS (
  UPDATE task_attempts a SET stop_requested_at = coalesce(a.stop_requested_at, clock.now),
    stop_reason = CASE WHEN a.stop_reason = '' THEN 'over_budget' ELSE a.stop_reason END
  FROM clock WHERE a.task_id = ANY(ARRAY(SELECT id FROM refused)) AND a.ended_at IS NULL
)
SELECT id FROM refused

-- name: claim_take
-- Statement 5: take what was admitted. Rows that changed meanwhile are left out (their share of the budget stays unused until the
-- next tick). Answers with everything that a start needs. "IS NOT DISTINCT FROM" says "=" and fits no partial index: with stale statistics,
-- or while nothing waits, the planner takes the index of what waits for short, and would read the whole backlog later.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
chosen AS (
  SELECT * FROM unnest(%(tasks)s::bigint[], %(attempts)s::uuid[], %(tpm)s::float8[], %(output_tpm)s::float8[], %(rpm)s::float8[],
    %(usd)s::numeric[]) AS c(task_id, attempt_id, tpm, output_tpm, rpm, usd)
),
locked AS MATERIALIZED (
  SELECT id FROM tasks
  WHERE id = ANY(%(tasks)s::bigint[]) AND agent_id = %(agent)s AND status IS NOT DISTINCT FROM 'enqueued' AND NOT deferred
  ORDER BY id FOR UPDATE SKIP LOCKED
),
taken AS (
  UPDATE tasks t
  SET status = 'processing', lease_owner = %(worker)s::uuid, locked_by = 'worker:' || %(worker)s::uuid::text,
    lease_expires_at = clock.now + make_interval(secs => %(lease_seconds)s), current_attempt = c.attempt_id,
    attempts_made = t.attempts_made + 1, blocked_since = NULL, blocked_by = ''
  FROM chosen c, clock
  WHERE c.task_id = ANY(ARRAY(SELECT id FROM locked)) AND t.id = c.task_id AND t.status IS NOT DISTINCT FROM 'enqueued'
  RETURNING t.id, t.attempts_made, t.generation, coalesce(t.raised_from, t.priority) AS level, t.client_id, t.agent_version_id, t.document_id, t.sealed_password, t.current_attempt,
    c.tpm, c.output_tpm, c.rpm, c.usd
),
begun AS (
  INSERT INTO task_attempts (id, task_id, number, generation, priority, agent_id, agent_version_id, client_id, pool_id, executor, worker,
    claimed_at, deadline_at, reserved_tpm, reserved_output_tpm, reserved_rpm, reserved_usd, rate_held_until)
  SELECT t.current_attempt, t.id, t.attempts_made, t.generation, t.level, a.id, t.agent_version_id, t.client_id, a.pool_id, a.executor,
    %(worker)s::uuid, clock.now, clock.now + make_interval(secs => a.timeout_seconds), t.tpm, t.output_tpm, t.rpm, t.usd, '9999-01-01'
  FROM taken t, agents a, clock WHERE a.id = %(agent)s
)
SELECT t.id AS task_id, t.current_attempt AS attempt_id, t.attempts_made AS number, t.generation, t.sealed_password,
  v.id AS agent_version_id, v.program, v.model, v.options::text AS options, a.id AS agent_id, a.executor, a.timeout_seconds, a.memory_mib,
  d.storage_name, d.sha256, d.original_name, a.name AS agent, v.number AS version, (SELECT name FROM clients WHERE id = t.client_id) AS client
FROM taken t
JOIN agent_versions v ON v.id = t.agent_version_id
JOIN agents a ON a.id = %(agent)s
JOIN documents d ON d.id = t.document_id
ORDER BY t.id

-- name: claim_mark_blocked
-- The first task in order that did not fit, stamped once; from then on its wait is bounded. That the pool is too small as well may be
-- added later. "IS NOT DISTINCT FROM": see claim_take.
UPDATE tasks SET blocked_since = coalesce(blocked_since, agentaudit_now()), blocked_by = %(blocked_by)s
WHERE id = ANY(ARRAY(
  SELECT id FROM tasks WHERE id = %(task)s AND status IS NOT DISTINCT FROM 'enqueued' AND NOT deferred AND blocked_by <> %(blocked_by)s FOR UPDATE SKIP LOCKED))

-- name: claim_unblock
-- What an agent cannot pay for keeps nothing free. "IS NOT DISTINCT FROM": see claim_take.
UPDATE tasks SET blocked_since = NULL, blocked_by = ''
WHERE id = ANY(ARRAY(
  SELECT id FROM tasks WHERE id = ANY(%(tasks)s::bigint[]) AND status IS NOT DISTINCT FROM 'enqueued' AND NOT deferred ORDER BY id FOR UPDATE SKIP LOCKED))

-- name: clients_to_heed
-- Clients whose tasks are not to be started (paused by an operator), and those that have a spend limit.
SELECT id, is_paused,
  spend_warn_per_day IS NOT NULL OR spend_stop_per_day IS NOT NULL OR spend_warn_per_month IS NOT NULL OR spend_stop_per_month IS NOT NULL AS has_purse
FROM clients
WHERE is_paused OR spend_warn_per_day IS NOT NULL OR spend_stop_per_day IS NOT NULL OR spend_warn_per_month IS NOT NULL
  OR spend_stop_per_month IS NOT NULL

-- name: promote_due
-- Deferred tasks whose time has come enter the ready index.
UPDATE tasks SET deferred = false
WHERE id = ANY(ARRAY(
  SELECT id FROM tasks
  WHERE status = 'enqueued' AND deferred AND available_at <= (SELECT agentaudit_now())
  ORDER BY available_at LIMIT %(most)s FOR UPDATE SKIP LOCKED))
