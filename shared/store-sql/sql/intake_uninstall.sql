-- Takes the functions away. What they wrote stays in the intake and is still taken by the servers.
SET LOCAL search_path = pg_catalog, pg_temp;
-- Without what they call, functions in another schema would be left behind, and fail.
DO $do$ DECLARE other text; BEGIN
    SELECT n.nspname INTO other FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname <> @api_text@ AND p.proname IN ('enqueue', 'start', 'signal', 'send_event')
      AND strpos(p.prosrc, '"' || @store_text@ || '".intake_caller()') > 0
    LIMIT 1;
    IF FOUND AND NOT EXISTS (@offered@) THEN
        RAISE EXCEPTION 'the functions are in the schema %: name it with --schema', other;
    END IF;
END $do$;
DO $do$ DECLARE one regprocedure; BEGIN
    FOR one IN @ours@ LOOP EXECUTE format('DROP FUNCTION %s', one); END LOOP;
END $do$;
-- Waits for transactions that have written into the intake and have not ended.
DROP TRIGGER IF EXISTS intake_position ON @store@.intake;
DROP FUNCTION IF EXISTS @store@.intake_position();
DO $do$ DECLARE one text; BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = @api_text@) THEN RETURN; END IF;
    FOR one IN SELECT r.role FROM @store@.intake_role r JOIN pg_roles p ON p.rolname = r.role LOOP
        EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM %I', @api_text@, one);
    END LOOP;
    IF @api_text@ NOT IN (@store_text@, 'public') THEN
        BEGIN
            DROP SCHEMA @api@ RESTRICT;
        EXCEPTION WHEN dependent_objects_still_exist THEN
            RAISE NOTICE 'the schema is not empty and stays';
        END;
    END IF;
END $do$;
DELETE FROM @store@.intake_role;
