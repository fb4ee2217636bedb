-- What `trunkline sql install` makes: the functions of applications, and what they need. Run as one script in a
-- transaction. @store@ is the schema of the tables, @api@ that of the functions; both are quoted.
--
-- The functions run with the rights of the role that installs them, because applications may read nothing here. Each has a
-- search path of its own that holds nothing but the system's catalog, and names our tables and functions with their schema: nobody
-- who may create something in a schema can put it in front of ours, not even in the one of the tables.
SET LOCAL search_path = pg_catalog, pg_temp;

DO $do$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = @api_text@) THEN CREATE SCHEMA @api@; END IF;
END $do$;

-- An older version may have other parameters, and would stay beside the new one.
DO $do$ DECLARE one regprocedure; BEGIN
    FOR one IN @ours@ LOOP EXECUTE format('DROP FUNCTION %s', one); END LOOP;
END $do$;

CREATE SEQUENCE IF NOT EXISTS @store@.intake_position_seq CACHE 1;

-- The position of a row is drawn when its transaction commits, not when the row is written: a transaction that stays open
-- keeps no position that others would have to wait for, and whoever commits first is taken first.
CREATE OR REPLACE FUNCTION @store@.intake_position() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
    UPDATE @store@.intake SET position = nextval(format('%I.intake_position_seq', @store_text@)::regclass) WHERE id = NEW.id;
    RETURN NULL;
END $fn$;

DO $do$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'intake_position' AND tgrelid = format('%I.intake', @store_text@)::regclass) THEN
        CREATE CONSTRAINT TRIGGER intake_position AFTER INSERT ON @store@.intake DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION @store@.intake_position();
    END IF;
END $do$;

@checks@
-- Whose call it is: the role in whose name the session speaks, or the only one of those with a tenant that it belongs to.
CREATE FUNCTION @store@.intake_caller(OUT v_role text, OUT v_tenant text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
    v_effective name := CASE current_setting('role') WHEN 'none' THEN session_user ELSE current_setting('role')::name END;
    v_tenants bigint;
BEGIN
    SELECT r.role, r.tenant INTO v_role, v_tenant FROM @store@.intake_role r WHERE r.role = v_effective;
    IF FOUND THEN RETURN; END IF;
    SELECT count(DISTINCT r.tenant), min(r.role), min(r.tenant) INTO v_tenants, v_role, v_tenant
    FROM @store@.intake_role r JOIN pg_roles p ON p.rolname = r.role WHERE pg_has_role(v_effective, p.oid, 'MEMBER');
    IF v_tenants > 1 THEN
        PERFORM @store@.intake_fault('42501', 'forbidden', NULL, format(
            'the role %s belongs to several tenants; choose one of their roles with SET ROLE', v_effective));
    ELSIF v_tenants = 0 THEN
        PERFORM @store@.intake_fault('42501', 'forbidden', NULL, format(
            'the role %s has no tenant; see `trunkline sql install`', v_effective));
    END IF;
END $fn$;

-- Text as JSON, within the bounds of payloads.
CREATE FUNCTION @store@.intake_json(v_pointer text, v_value jsonb) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
    v_text text := coalesce(v_value, 'null'::jsonb)::text;
    v_bytes_max bigint;
    v_depth bigint;
BEGIN
    SELECT payload_bytes_max INTO v_bytes_max FROM @store@.intake_lease;
    IF octet_length(v_text) > v_bytes_max THEN
        PERFORM @store@.intake_fault('22023', 'invalid', v_pointer, format('expected at most %s bytes of JSON', v_bytes_max));
    END IF;
    -- With so few brackets it cannot be too deep, and need not be walked through.
    IF length(v_text) - length(translate(v_text, '[{', '')) > 100 THEN
        WITH RECURSIVE level (value, depth) AS (
            SELECT v_value, 1
            UNION ALL
            SELECT inner_one.value, level.depth + 1 FROM level CROSS JOIN LATERAL (
                SELECT e.value FROM jsonb_array_elements(
                    CASE jsonb_typeof(level.value) WHEN 'array' THEN level.value ELSE '[]'::jsonb END) e
                UNION ALL
                SELECT o.value FROM jsonb_each(
                    CASE jsonb_typeof(level.value) WHEN 'object' THEN level.value ELSE '{}'::jsonb END) o
            ) inner_one WHERE level.depth <= 100 AND jsonb_typeof(inner_one.value) IN ('array', 'object')
        ) SELECT max(depth) INTO v_depth FROM level;
        IF v_depth > 100 THEN
            PERFORM @store@.intake_fault('22023', 'invalid', v_pointer, 'expected at most 100 levels of nesting');
        END IF;
    END IF;
    RETURN v_text;
END $fn$;

-- The same for what expressions read, which have numbers of 64 bits.
CREATE FUNCTION @store@.intake_value(v_pointer text, v_value jsonb) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
    IF jsonb_path_exists(v_value, '$.** ? (@.type() == "number") ? (@ > 1.7976931348623157e308 || @ < -1.7976931348623157e308)') THEN
        PERFORM @store@.intake_fault('22023', 'invalid', v_pointer, 'expected JSON: number out of range');
    END IF;
    RETURN @store@.intake_json(v_pointer, v_value);
END $fn$;

-- Refuses what the API would refuse for reasons outside of the call: the queue drains, or the tenant has as much as it may.
CREATE FUNCTION @store@.intake_room(v_tenant text, v_queue smallint, v_quota text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
    v_over record;
BEGIN
    IF EXISTS (SELECT 1 FROM @store@.queue_claim WHERE queue = v_queue AND mode = 'draining') THEN
        PERFORM @store@.intake_fault('55000', 'queue_draining', NULL, 'the queue is draining and rejects new jobs');
    END IF;
    SELECT o.quota, o.used, o.quota_limit INTO v_over FROM @store@.intake_over_quota o
    WHERE o.tenant = v_tenant AND (o.quota = v_quota OR v_quota <> 'deliveryBytes' AND o.quota IN ('payloadBytes', 'historyRows'))
    LIMIT 1;
    IF FOUND THEN
        PERFORM @store@.intake_fault('53400', 'quota_exceeded', NULL, format(
            'the quota %s is %s, of which %s are used', v_over.quota, v_over.quota_limit, v_over.used));
    END IF;
END $fn$;

-- Writes a row, or finds the one of an earlier call under the same key. `v_same` is what makes two calls the same.
CREATE FUNCTION @store@.intake_add(v_kind text, v_role text, v_tenant text, v_key text, v_target uuid, v_name text,
    v_options jsonb, v_data text, v_same text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
    v_now bigint := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    v_random text := replace(gen_random_uuid()::text, '-', '');
    -- A UUID of version 7: it sorts by time.
    v_subject uuid := (lpad(to_hex(v_now), 12, '0') || '7' || substr(v_random, 14, 19))::uuid;
    v_print text;
    v_known record;
BEGIN
    IF v_key IS NOT NULL THEN
        PERFORM @store@.intake_label('/key', v_key);
        v_print := encode(sha256(convert_to(concat_ws(E'\x01', v_target, v_name, v_same, v_data), 'UTF8')), 'hex');
        -- Waits for another transaction that has used the same key and has not ended: whether it commits decides.
        INSERT INTO @store@.intake_key (tenant, kind, key, subject, fingerprint, created_at)
        VALUES (v_tenant, v_kind, v_key, v_subject, v_print, v_now) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            SELECT k.subject, k.fingerprint INTO v_known FROM @store@.intake_key k
            WHERE k.tenant = v_tenant AND k.kind = v_kind AND k.key = v_key;
            IF NOT FOUND THEN
                PERFORM @store@.intake_fault('40001', 'retry', '/key', 'the key was used by another transaction meanwhile; repeat this one');
            ELSIF v_known.fingerprint <> v_print THEN
                PERFORM @store@.intake_fault('23505', 'idempotency_key_reused', '/key', 'the key was used for another call');
            END IF;
            RETURN replace(v_known.subject::text, '-', '');
        END IF;
    END IF;
    INSERT INTO @store@.intake (kind, subject, target, tenant, role, name, options, data, created_at)
    VALUES (v_kind, v_subject, v_target, v_tenant, v_role, v_name, v_options::text, v_data, v_now);
    PERFORM pg_notify('trunkline', repeat('0', 32) || ' d');
    RETURN replace(v_subject::text, '-', '');
END $fn$;

CREATE FUNCTION @api@.enqueue(job_type text, data jsonb DEFAULT NULL, key text DEFAULT NULL, priority text DEFAULT NULL,
    run_at timestamptz DEFAULT NULL, delay interval DEFAULT NULL, max_retries integer DEFAULT NULL, timeout interval DEFAULT NULL,
    unique_key text DEFAULT NULL, concurrency_key text DEFAULT NULL, tags text[] DEFAULT NULL, traceparent text DEFAULT NULL,
    rate_key text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
    v_caller record := @store@.intake_caller();
    v_delay_ms numeric := extract(epoch FROM delay) * 1000;
    v_timeout_ms numeric := extract(epoch FROM timeout) * 1000;
    v_run_at numeric;
    v_longest_ms constant numeric := 315360000000;
    v_options jsonb;
BEGIN
    IF job_type IS NULL OR job_type !~ '^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,126}$' THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/jobType',
            'expected a job type: a letter or digit, then at most 126 letters, digits, ''_'', ''-'', ''.'', '':'' or ''/''');
    ELSIF starts_with(job_type, 'trunkline:') THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/jobType', 'job types that start with trunkline: are reserved');
    ELSIF run_at IS NOT NULL AND delay IS NOT NULL THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/delay', 'expected either runAt or delay, not both');
    ELSIF v_delay_ms NOT BETWEEN 0 AND v_longest_ms THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/delay', 'expected a duration from 0s to 3650d');
    ELSIF run_at NOT BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59Z' THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/runAt', 'expected an instant up to the year 9999');
    ELSIF max_retries NOT BETWEEN 0 AND 100 THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/maxRetries', 'expected at most 100 retries');
    ELSIF v_timeout_ms < 1 OR v_timeout_ms > v_longest_ms THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/timeout', 'expected a timeout above zero and of at most ten years');
    END IF;
    IF unique_key IS NOT NULL THEN PERFORM @store@.intake_label('/uniqueKey', unique_key); END IF;
    IF concurrency_key IS NOT NULL THEN PERFORM @store@.intake_label('/concurrencyKey', concurrency_key); END IF;
    IF rate_key IS NOT NULL THEN PERFORM @store@.intake_label('/rateKey', rate_key); END IF;
    PERFORM @store@.intake_room(v_caller.v_tenant, 1::smallint, 'openJobs');
    v_run_at := floor(extract(epoch FROM coalesce(run_at, clock_timestamp() + delay)) * 1000);
    v_options := @store@.intake_common(priority, tags, traceparent) || jsonb_strip_nulls(jsonb_build_object(
        'maxRetries', max_retries, 'timeoutMs', floor(v_timeout_ms), 'uniqueKey', unique_key, 'concurrencyKey', concurrency_key,
        'rateKey', rate_key));
    RETURN 'job_' || @store@.intake_add('enqueue', v_caller.v_role, v_caller.v_tenant, key, NULL, job_type,
        v_options || jsonb_strip_nulls(jsonb_build_object('runAt', v_run_at)), @store@.intake_json('/data', data),
        -- Named, because a delay of so many milliseconds is another call than an instant so many seconds after 1970.
        concat_ws(E'\x01', v_options, extract(epoch FROM run_at), 'delay ' || v_delay_ms));
END $fn$;

CREATE FUNCTION @api@.start(workflow text, input jsonb DEFAULT NULL, key text DEFAULT NULL, version integer DEFAULT NULL,
    priority text DEFAULT NULL, correlation_id text DEFAULT NULL, tags text[] DEFAULT NULL, traceparent text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
    v_caller record := @store@.intake_caller();
    v_found record;
    v_options jsonb;
BEGIN
    IF workflow IS NULL OR workflow !~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$' THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/workflow',
            'expected a workflow name: a letter or digit, then at most 62 letters, digits, ''_'' or ''-''');
    END IF;
    SELECT w.version, p.refuses INTO v_found
    FROM @store@.workflow w LEFT JOIN @store@.workflow_pause p ON p.owner = w.owner AND p.name = w.name
    WHERE w.name = start.workflow AND (start.version IS NULL OR w.version = start.version)
      AND w.owner = (SELECT max(seen.owner) FROM @store@.workflow seen WHERE seen.owner IN ('', v_caller.v_tenant) AND seen.name = start.workflow)
    ORDER BY w.version DESC LIMIT 1;
    IF NOT FOUND THEN
        PERFORM @store@.intake_fault('P0002', 'not_found', '/workflow',
            'there is no workflow ' || workflow || coalesce(' in version ' || version, ''));
    ELSIF v_found.refuses = 1 THEN
        PERFORM @store@.intake_fault('55000', 'workflow_paused', '/workflow',
            'the workflow ' || workflow || ' is paused and rejects new executions');
    END IF;
    IF correlation_id IS NOT NULL THEN PERFORM @store@.intake_label('/correlationId', correlation_id); END IF;
    PERFORM @store@.intake_room(v_caller.v_tenant, 0::smallint, 'openExecutions');
    v_options := @store@.intake_common(priority, tags, traceparent)
        || jsonb_strip_nulls(jsonb_build_object('version', version, 'correlationId', correlation_id));
    RETURN 'exe_' || @store@.intake_add('start', v_caller.v_role, v_caller.v_tenant, key, NULL, workflow, v_options,
        @store@.intake_value('/input', input), v_options::text);
END $fn$;

CREATE FUNCTION @api@.signal(execution text, name text, payload jsonb DEFAULT NULL, key text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
    v_caller record := @store@.intake_caller();
    v_target uuid;
    v_status text;
BEGIN
    IF execution IS NULL OR execution !~ '^exe_[0-9a-f]{32}$' THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/execution', 'expected exe_ and 32 hex digits');
    END IF;
    PERFORM @store@.intake_label('/name', name);
    v_target := substr(execution, 5)::uuid;
    -- A repeat is answered also where the execution has ended meanwhile.
    IF key IS NULL OR NOT EXISTS (SELECT 1 FROM @store@.intake_key k
        WHERE k.tenant = v_caller.v_tenant AND k.kind = 'signal' AND k.key = signal.key) THEN
        SELECT e.status INTO v_status FROM @store@.execution e WHERE e.id = v_target AND e.tenant = v_caller.v_tenant;
        IF v_status IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN
            PERFORM @store@.intake_fault('55000', 'execution_finished', '/execution',
                'an execution that is ' || v_status || ' cannot be signalled');
        ELSIF v_status IS NULL AND NOT EXISTS (SELECT 1 FROM @store@.intake i WHERE i.kind = 'start' AND i.subject = v_target
            AND i.tenant = v_caller.v_tenant AND i.refused_at IS NULL) THEN
            PERFORM @store@.intake_fault('P0002', 'not_found', '/execution', 'there is no execution ' || execution);
        END IF;
    END IF;
    PERFORM @store@.intake_add('signal', v_caller.v_role, v_caller.v_tenant, key, v_target, name, '{}'::jsonb,
        @store@.intake_value('/payload', payload), '');
END $fn$;

CREATE FUNCTION @api@.send_event(name text, data jsonb DEFAULT NULL, id text DEFAULT NULL, key text DEFAULT NULL,
    traceparent text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
    v_caller record := @store@.intake_caller();
    v_options jsonb;
BEGIN
    IF name IS NULL OR name !~ '^[A-Za-z0-9][A-Za-z0-9_./-]{0,127}$' THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/name',
            'expected an event name: a letter or digit, then at most 127 letters, digits, ''_'', ''-'', ''.'' or ''/''');
    END IF;
    IF id IS NOT NULL THEN PERFORM @store@.intake_label('/id', id); END IF;
    PERFORM @store@.intake_room(v_caller.v_tenant, NULL::smallint, 'deliveryBytes');
    v_options := @store@.intake_common(NULL, NULL, traceparent) || jsonb_strip_nulls(jsonb_build_object('id', id));
    RETURN 'dlv_' || @store@.intake_add('event', v_caller.v_role, v_caller.v_tenant, key, NULL, name, v_options,
        @store@.intake_value('/data', data), v_options::text);
END $fn$;

-- They are of no use to anybody who was not granted them.
REVOKE ALL ON FUNCTION @store@.intake_position() FROM PUBLIC;
DO $do$ DECLARE one regprocedure; BEGIN
    FOR one IN @ours@ LOOP EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', one); END LOOP;
END $do$;
