-- What `trunkline outbox install` makes in a database of an application's own: a table that the functions write to within the
-- application's transactions, for a relay to send to a server. Run as one script in a transaction. @store@ is the schema; quoted.
--
-- A row has the body of a request to the API, and the key under which it is sent: sent twice, it is carried out once.
-- As with the functions of a server's own database, nothing is found here by a search path but what is the system's.
SET LOCAL search_path = pg_catalog, pg_temp;

DO $do$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = @store_text@) THEN CREATE SCHEMA @store@; END IF;
END $do$;

CREATE TABLE IF NOT EXISTS @store@.outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    position bigint,
    kind text NOT NULL,
    execution text,
    name text NOT NULL,
    key text NOT NULL,
    body text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    refused_at timestamptz,
    refusal text
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX IF NOT EXISTS outbox_position ON @store@.outbox (position) WHERE refused_at IS NULL;
CREATE INDEX IF NOT EXISTS outbox_refused ON @store@.outbox (refused_at) WHERE refused_at IS NOT NULL;

-- One row: which relay sends, and until when. The term grows with each new one.
CREATE TABLE IF NOT EXISTS @store@.outbox_lease (
    id smallint PRIMARY KEY CHECK (id = 1),
    holder uuid,
    term bigint NOT NULL,
    lease_until timestamptz NOT NULL
);
INSERT INTO @store@.outbox_lease (id, term, lease_until) VALUES (1, 0, '-infinity') ON CONFLICT DO NOTHING;

-- Roles that may call the functions: they may again when the functions are made anew.
CREATE TABLE IF NOT EXISTS @store@.outbox_role (role text PRIMARY KEY);

CREATE SEQUENCE IF NOT EXISTS @store@.outbox_position_seq CACHE 1;

-- An older version may have other parameters, and would stay beside the new one.
DO $do$ DECLARE one regprocedure; BEGIN
    FOR one IN @ours@ LOOP EXECUTE format('DROP FUNCTION %s', one); END LOOP;
END $do$;

-- The position is drawn when the transaction commits: a transaction that stays open delays nobody, and rows are sent in the order
-- of commits.
CREATE OR REPLACE FUNCTION @store@.outbox_position() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
    UPDATE @store@.outbox SET position = nextval(format('%I.outbox_position_seq', @store_text@)::regclass) WHERE id = NEW.id;
    RETURN NULL;
END $fn$;
REVOKE ALL ON FUNCTION @store@.outbox_position() FROM PUBLIC;

DO $do$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'outbox_position' AND tgrelid = format('%I.outbox', @store_text@)::regclass) THEN
        CREATE CONSTRAINT TRIGGER outbox_position AFTER INSERT ON @store@.outbox DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION @store@.outbox_position();
    END IF;
END $do$;

@checks@
-- Writes a row. Answers the key: the one of the call, or a new one.
CREATE FUNCTION @store@.outbox_add(v_kind text, v_execution text, v_name text, v_key text, v_options jsonb, v_field text, v_data jsonb)
RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
    v_sent_as text := coalesce(v_key, gen_random_uuid()::text);
    v_body text := (jsonb_strip_nulls(v_options) || jsonb_build_object(v_field, coalesce(v_data, 'null'::jsonb)))::text;
BEGIN
    IF v_sent_as !~ '^[ -~]{1,180}$' THEN
        PERFORM @store@.outbox_fault('22023', 'invalid', '/key', 'expected 1 to 180 printable characters of ASCII');
    ELSIF octet_length(v_body) > 1048576 THEN
        PERFORM @store@.outbox_fault('22023', 'invalid', '/' || v_field, 'expected at most 1048576 bytes of JSON');
    END IF;
    INSERT INTO @store@.outbox (kind, execution, name, key, body)
    VALUES (v_kind, v_execution, v_name, v_kind || ':' || v_sent_as, v_body);
    PERFORM pg_notify('trunkline_outbox', '');
    RETURN v_sent_as;
END $fn$;

CREATE FUNCTION @store@.enqueue(job_type text, data jsonb DEFAULT NULL, key text DEFAULT NULL, priority text DEFAULT NULL,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, max_retries integer DEFAULT NULL, timeout interval DEFAULT NULL,
    unique_key text DEFAULT NULL, concurrency_key text DEFAULT NULL, tags text[] DEFAULT NULL, traceparent text DEFAULT NULL,
    rate_key text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
    v_delay_ms numeric := floor(extract(epoch FROM delay) * 1000);
    v_timeout_ms numeric := floor(extract(epoch FROM timeout) * 1000);
    v_longest_ms constant numeric := 315360000000;
BEGIN
    IF job_type IS NULL OR job_type !~ '^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,126}$' THEN
        PERFORM @store@.outbox_fault('22023', 'invalid', '/jobType', 'expected a job type');
    ELSIF run_at IS NOT NULL AND delay IS NOT NULL THEN
        PERFORM @store@.outbox_fault('22023', 'invalid', '/delay', 'expected either runAt or delay, not both');
    ELSIF v_delay_ms NOT BETWEEN 0 AND v_longest_ms THEN
        PERFORM @store@.outbox_fault('22023', 'invalid', '/delay', 'expected a duration from 0s to 3650d');
    ELSIF run_at NOT BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59Z' THEN
        PERFORM @store@.outbox_fault('22023', 'invalid', '/runAt', 'expected an instant up to the year 9999');
    ELSIF max_retries NOT BETWEEN 0 AND 100 THEN
        PERFORM @store@.outbox_fault('22023', 'invalid', '/maxRetries', 'expected at most 100 retries');
    ELSIF v_timeout_ms < 1 OR v_timeout_ms > v_longest_ms THEN
        PERFORM @store@.outbox_fault('22023', 'invalid', '/timeout', 'expected a timeout above zero and of at most ten years');
    END IF;
    IF unique_key IS NOT NULL THEN PERFORM @store@.outbox_label('/uniqueKey', unique_key); END IF;
    IF concurrency_key IS NOT NULL THEN PERFORM @store@.outbox_label('/concurrencyKey', concurrency_key); END IF;
    IF rate_key IS NOT NULL THEN PERFORM @store@.outbox_label('/rateKey', rate_key); END IF;
    RETURN @store@.outbox_add('enqueue', NULL, job_type, key, @store@.outbox_common(priority, tags, traceparent)
        || jsonb_build_object('jobType', job_type, 'runAt', to_char(run_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'delay', v_delay_ms || 'ms', 'maxRetries', max_retries, 'timeout', v_timeout_ms || 'ms', 'uniqueKey', unique_key,
            'concurrencyKey', concurrency_key, 'rateKey', rate_key), 'data', data);
END $fn$;

CREATE FUNCTION @store@.start(workflow text, input jsonb DEFAULT NULL, key text DEFAULT NULL, version integer DEFAULT NULL,
    priority text DEFAULT NULL, correlation_id text DEFAULT NULL, tags text[] DEFAULT NULL, traceparent text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
    IF workflow IS NULL OR workflow !~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$' THEN
        PERFORM @store@.outbox_fault('22023', 'invalid', '/workflow', 'expected a workflow name');
    END IF;
    IF correlation_id IS NOT NULL THEN PERFORM @store@.outbox_label('/correlationId', correlation_id); END IF;
    RETURN @store@.outbox_add('start', NULL, workflow, key, @store@.outbox_common(priority, tags, traceparent)
        || jsonb_build_object('workflow', workflow, 'version', version, 'correlationId', correlation_id), 'input', input);
END $fn$;

CREATE FUNCTION @store@.signal(execution text, name text, payload jsonb DEFAULT NULL, key text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
    IF execution IS NULL OR execution !~ '^exe_[0-9a-f]{32}$' THEN
        PERFORM @store@.outbox_fault('22023', 'invalid', '/execution', 'expected exe_ and 32 hex digits');
    END IF;
    PERFORM @store@.outbox_label('/name', name);
    RETURN @store@.outbox_add('signal', execution, name, key, '{}', 'payload', payload);
END $fn$;

CREATE FUNCTION @store@.send_event(name text, data jsonb DEFAULT NULL, id text DEFAULT NULL, key text DEFAULT NULL,
    traceparent text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
    IF name IS NULL OR name !~ '^[A-Za-z0-9][A-Za-z0-9_./-]{0,127}$' THEN
        PERFORM @store@.outbox_fault('22023', 'invalid', '/name', 'expected an event name');
    END IF;
    IF id IS NOT NULL THEN PERFORM @store@.outbox_label('/id', id); END IF;
    RETURN @store@.outbox_add('event', NULL, name, key, @store@.outbox_common(NULL, NULL, traceparent)
        || jsonb_build_object('name', name, 'id', id), 'data', data);
END $fn$;

-- What roles may do: these functions, and nothing else here.
DO $do$ DECLARE one regprocedure; known text; BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = @role_text@) THEN CREATE ROLE @role@ NOLOGIN; END IF;
    INSERT INTO @store@.outbox_role (role) VALUES (@role_text@) ON CONFLICT DO NOTHING;
    FOR one IN @ours@ LOOP EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', one); END LOOP;
    FOR known IN SELECT r.role FROM @store@.outbox_role r JOIN pg_roles p ON p.rolname = r.role LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', @store_text@, known);
        FOR one IN @offered@ LOOP EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', one, known); END LOOP;
    END LOOP;
END $do$;
