INSERT INTO jobs (id) SELECT nextval('jobs_id') FROM generate_series(1, %(count)s)
