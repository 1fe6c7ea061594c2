-- name: spending
-- What agents and clients with spend limits have spent today and this month (UTC, by this clock), and what live attempts may add to it.
-- One statement, so that every attempt is seen either as reserved or as settled. notices: levels that the audit log tells of already.
WITH clock AS MATERIALIZED (
  SELECT (now AT TIME ZONE 'UTC')::date AS day, date_trunc('month', now AT TIME ZONE 'UTC')::date AS month FROM (SELECT agentaudit_now() AS now) c
),
holder AS MATERIALIZED (
  SELECT 'agent' AS holder, id, name, spend_warn_per_day, spend_stop_per_day, spend_warn_per_month, spend_stop_per_month
  FROM agents WHERE id = ANY(%(agents)s::bigint[])
  UNION ALL
  SELECT 'client', id, name, spend_warn_per_day, spend_stop_per_day, spend_warn_per_month, spend_stop_per_month
  FROM clients WHERE id = ANY(%(clients)s::bigint[])
),
live AS MATERIALIZED (
  SELECT agent_id, client_id, sum(greatest(reserved_usd - coalesce(cost_usd, 0), 0)) AS usd
  FROM task_attempts WHERE ended_at IS NULL AND settled_at IS NULL GROUP BY agent_id, client_id
)
SELECT h.*, clock.day, clock.month, coalesce(d.usd, 0) AS day_usd, coalesce(m.usd, 0) AS month_usd, coalesce(r.usd, 0) AS reserved_usd,
  ARRAY(SELECT n.period || ' ' || n.level || ' ' || n.limit_usd FROM spend_notices n
    WHERE n.holder = h.holder AND n.holder_id = h.id AND (n.period, n.starts_on) IN (('day', clock.day), ('month', clock.month))) AS notices
FROM clock CROSS JOIN holder h
CROSS JOIN LATERAL (SELECT sum(usd) AS usd FROM spending s
  WHERE s.holder = h.holder AND s.holder_id = h.id AND s.period = 'day' AND s.starts_on = clock.day) d
CROSS JOIN LATERAL (SELECT sum(usd) AS usd FROM spending s
  WHERE s.holder = h.holder AND s.holder_id = h.id AND s.period = 'month' AND s.starts_on = clock.month) m
CROSS JOIN LATERAL (SELECT sum(usd) AS usd FROM live
  WHERE (h.holder = 'agent' AND live.agent_id = h.id) OR (h.holder = 'client' AND live.client_id = h.id)) r
ORDER BY h.holder, h.id

-- name: spend_notice
-- A level was reached: once per day or month and limit, into the audit log.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
told AS (
  INSERT INTO spend_notices (holder, holder_id, period, starts_on, level, limit_usd, at)
  SELECT g.holder, g.holder_id, g.period, g.starts_on, g.level, g.limit_usd, clock.now
  FROM clock, jsonb_to_recordset(%(notices)s::jsonb)
    AS g(holder text, holder_id bigint, period text, starts_on date, level text, limit_usd numeric)
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT ON CONSTRAINT spend_notices_once DO NOTHING
  RETURNING holder, holder_id, period, starts_on, level, limit_usd
)
INSERT INTO audit_log (at, actor_name, verb, object_type, object_id, after, source)
SELECT clock.now, 'queue', 'spend_' || level, holder, holder_id::text,
  jsonb_build_object('period', period, 'starts_on', starts_on, 'limit_usd', limit_usd), 'system'
FROM told, clock

-- name: spending_prune
-- Counters are read for the present day and month only; reports of money come from the attempts. Some weeks and months of them are kept for
-- people who look, by the day of the database.
DELETE FROM spending WHERE id = ANY(ARRAY(
  SELECT id FROM spending WHERE starts_on < (agentaudit_now() AT TIME ZONE 'UTC')::date - CASE WHEN period = 'day' THEN 62 ELSE 400 END
  ORDER BY id LIMIT %(most)s FOR UPDATE SKIP LOCKED))
