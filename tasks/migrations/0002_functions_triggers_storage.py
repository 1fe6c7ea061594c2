"""What Django's models cannot say: the database's clock, guards by trigger, and storage settings of hot tables."""

from __future__ import annotations

from django.db import migrations

from tasks.states import TASK_TRANSITIONS

CLOCK = """
CREATE FUNCTION agentaudit_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  -- The only clock that decides anything. The offset is set by tests alone, for their session.
  SELECT clock_timestamp() + coalesce(nullif(current_setting('agentaudit.clock_offset', true), ''), '0')::interval
$$;
"""

# A CHECK cannot see the old row. The guarded statements of tasks/sql are the first defence, this is the second.
PAIRS = ", ".join(f"'{old}>{new}'" for old, news in TASK_TRANSITIONS.items() for new in news)
GUARD = f"""
CREATE FUNCTION tasks_guard_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'task % may not go from % to %', OLD.id, OLD.status, NEW.status
    USING ERRCODE = 'check_violation', CONSTRAINT = 'tasks_transition_legal', TABLE = 'tasks';
END $$;
CREATE TRIGGER tasks_guard_transition BEFORE UPDATE OF status ON tasks FOR EACH ROW
  WHEN (OLD.status <> NEW.status AND OLD.status || '>' || NEW.status NOT IN ({PAIRS})) EXECUTE FUNCTION tasks_guard_transition();
"""
UNGUARD = "DROP TRIGGER tasks_guard_transition ON tasks; DROP FUNCTION tasks_guard_transition();"

APPEND_ONLY = """
CREATE FUNCTION audit_log_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_log is append-only: % is refused', TG_OP
    USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'audit_log_append_only', TABLE = 'audit_log';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_append_only();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION audit_log_append_only();
"""
UNAPPEND = """
DROP TRIGGER audit_log_no_truncate ON audit_log; DROP TRIGGER audit_log_append_only ON audit_log;
DROP FUNCTION audit_log_append_only();
"""

# Room in each page keeps lease renewals on their page (HOT); vacuum comes early, because every task leaves three dead versions.
STORAGE = """
ALTER TABLE tasks SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
ALTER TABLE task_attempts SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
ALTER TABLE workers SET (fillfactor = 50);
ALTER TABLE lanes SET (fillfactor = 50);
INSERT INTO switches (id) VALUES (1);
"""
UNSTORAGE = """
DELETE FROM switches;
ALTER TABLE tasks RESET (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_analyze_scale_factor,
  autovacuum_vacuum_cost_limit);
ALTER TABLE task_attempts RESET (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
  autovacuum_analyze_scale_factor, autovacuum_vacuum_cost_limit);
"""


class Migration(migrations.Migration):
    dependencies = (("tasks", "0001_initial"),)
    operations = (
        migrations.RunSQL(CLOCK, "DROP FUNCTION agentaudit_now();"),
        migrations.RunSQL(GUARD, UNGUARD),
        migrations.RunSQL(APPEND_ONLY, UNAPPEND),
        migrations.RunSQL(STORAGE, UNSTORAGE),
    )
