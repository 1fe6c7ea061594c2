-- name: alert_waiting
-- Of each agent that is not paused, what has waited longest, if it has for so long. Paused clients wait on purpose.
SELECT a.id, a.name, w.enqueued_at AS since
FROM (SELECT agentaudit_now() AS now) clock CROSS JOIN agents a CROSS JOIN LATERAL (
  SELECT enqueued_at FROM tasks
  WHERE agent_id = a.id AND status = 'enqueued' AND client_id <> ALL(ARRAY(SELECT id FROM clients WHERE is_paused))
  ORDER BY enqueued_at LIMIT 1
) w
WHERE NOT a.is_paused AND NOT (SELECT is_paused OR maintenance_since IS NOT NULL FROM switches)
  AND w.enqueued_at <= clock.now - make_interval(secs => %(seconds)s)
ORDER BY a.name

-- name: alert_failures
-- Of each agent what ended lately, where too large a share of it failed; fewer tasks than `least` tell nothing.
SELECT a.id, a.name, sum(f.number)::bigint AS ended, coalesce(sum(f.number) FILTER (WHERE s.status = 'failed'), 0)::bigint AS failed
FROM (SELECT agentaudit_now() - make_interval(secs => %(seconds)s) AS since) clock
CROSS JOIN agents a CROSS JOIN unnest(ARRAY['completed', 'failed']) AS s(status)
CROSS JOIN LATERAL (
  SELECT count(*) AS number FROM tasks
  WHERE agent_id = a.id AND tasks.status = s.status AND tasks.status IN ('completed', 'failed', 'cancelled') AND finished_at > clock.since
) f
GROUP BY a.id, a.name
HAVING sum(f.number) >= %(least)s AND coalesce(sum(f.number) FILTER (WHERE s.status = 'failed'), 0) * 100 >= sum(f.number) * %(percent)s
ORDER BY a.name

-- name: alert_workers
-- When a process that runs attempts was heard of last (NULL: never), and whether one is alive. Looks at nothing that a claim could lock.
SELECT max(least(stopped_at, heartbeat_at)) AS heard_at,
  bool_or(stopped_at IS NULL AND heartbeat_at > agentaudit_now() - make_interval(secs => %(seconds)s)) AS alive
FROM workers WHERE slots > 0

-- name: alert_first_waiting
SELECT min(w.enqueued_at) AS since FROM agents a CROSS JOIN LATERAL (
  SELECT enqueued_at FROM tasks WHERE agent_id = a.id AND status = 'enqueued' ORDER BY enqueued_at LIMIT 1) w

-- name: alert_claims
-- Since when work has been ready in vain: nothing that a pause, a provider or a limit holds back, and no attempt was begun for so long.
-- An attempt counts against rates until after it was begun, and by that there is an index.
SELECT min(w.since) AS since
FROM (SELECT agentaudit_now() AS now, agentaudit_now() - make_interval(secs => %(seconds)s) AS before) clock
CROSS JOIN agents a LEFT JOIN pools p ON p.id = a.pool_id
CROSS JOIN LATERAL (
  SELECT greatest(t.enqueued_at, t.available_at) AS since FROM tasks t
  WHERE t.agent_id = a.id AND t.status = 'enqueued' AND NOT t.deferred AND t.enqueued_at <= clock.before
    AND t.client_id <> ALL(ARRAY(SELECT id FROM clients WHERE is_paused OR spend_stop_per_day IS NOT NULL OR spend_stop_per_month IS NOT NULL))
  ORDER BY t.enqueued_at LIMIT 1
) w
WHERE w.since <= clock.before AND NOT a.is_paused AND a.spend_stop_per_day IS NULL AND a.spend_stop_per_month IS NULL
  AND coalesce(greatest(a.cooldown_until, p.cooldown_until) <= clock.before, true)
  AND NOT (SELECT is_paused OR maintenance_since IS NOT NULL FROM switches)
  AND NOT EXISTS (SELECT FROM agents g CROSS JOIN LATERAL (
    SELECT FROM task_attempts WHERE agent_id = g.id AND rate_held_until > clock.before AND claimed_at > clock.before
    ORDER BY rate_held_until DESC LIMIT 1) c)

-- name: alert_budget
-- Levels reached today or this month that still are the holder's limits; a limit that was raised since is another one.
SELECT n.holder, n.holder_id, coalesce(a.name, c.name) AS name, n.period, n.level, n.limit_usd
FROM (SELECT (agentaudit_now() AT TIME ZONE 'UTC')::date AS day) clock
JOIN spend_notices n ON n.starts_on IN (clock.day, date_trunc('month', clock.day)::date)
  AND n.starts_on = CASE n.period WHEN 'day' THEN clock.day ELSE date_trunc('month', clock.day)::date END
LEFT JOIN agents a ON n.holder = 'agent' AND a.id = n.holder_id
LEFT JOIN clients c ON n.holder = 'client' AND c.id = n.holder_id
WHERE n.limit_usd = CASE n.period || ' ' || n.level
  WHEN 'day warn' THEN coalesce(a.spend_warn_per_day, c.spend_warn_per_day) WHEN 'day stop' THEN coalesce(a.spend_stop_per_day, c.spend_stop_per_day)
  WHEN 'month warn' THEN coalesce(a.spend_warn_per_month, c.spend_warn_per_month)
  ELSE coalesce(a.spend_stop_per_month, c.spend_stop_per_month) END
ORDER BY n.holder, name, n.period, n.level

-- name: alert_extractions_ended
-- Awaited extractions of which no task waits or runs any more, and to which no file is to come: whoever removes the row tells.
DELETE FROM extraction_watches w
WHERE EXISTS (SELECT FROM tasks t WHERE t.extraction_id = w.extraction_id)
  AND NOT EXISTS (SELECT FROM tasks t WHERE t.extraction_id = w.extraction_id AND t.status IN ('enqueued', 'processing'))
  AND NOT EXISTS (SELECT FROM extractions e WHERE e.id = w.extraction_id AND e.more_until > (SELECT agentaudit_now()))
RETURNING w.extraction_id, w.user_id
