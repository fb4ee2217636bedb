-- Fails as the API would: its code and the pointer to the argument are the detail, as JSON.
CREATE FUNCTION @store@.intake_fault(v_state text, v_code text, v_pointer text, v_message text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
    RAISE EXCEPTION USING ERRCODE = v_state, MESSAGE = 'trunkline: ' || v_message,
        DETAIL = jsonb_strip_nulls(jsonb_build_object('code', v_code, 'pointer', v_pointer))::text;
END $fn$;

-- Keys and tags: 1 to 200 characters that can be printed.
CREATE FUNCTION @store@.intake_label(v_pointer text, v_text text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
    IF v_text IS NULL OR char_length(v_text) NOT BETWEEN 1 AND 200 OR v_text ~ '[\u0001-\u001f\u007f-\u009f]' THEN
        PERFORM @store@.intake_fault('22023', 'invalid', v_pointer, 'expected 1 to 200 printable characters');
    END IF;
END $fn$;

-- What jobs and executions have in common.
CREATE FUNCTION @store@.intake_common(v_priority text, v_tags text[], v_traceparent text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
    v_at bigint;
BEGIN
    IF v_priority NOT IN ('high', 'normal', 'low') THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/priority', 'expected high, normal or low');
    END IF;
    IF cardinality(v_tags) > 20 THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/tags', 'expected at most 20 tags');
    END IF;
    FOR v_at IN 1 .. coalesce(cardinality(v_tags), 0) LOOP
        PERFORM @store@.intake_label('/tags/' || v_at - 1, v_tags[v_at]);
    END LOOP;
    IF v_traceparent !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' THEN
        PERFORM @store@.intake_fault('22023', 'invalid', '/traceparent', 'expected a W3C trace context');
    END IF;
    RETURN jsonb_strip_nulls(jsonb_build_object('priority', v_priority, 'tags', to_jsonb(v_tags), 'traceparent', v_traceparent));
END $fn$;
