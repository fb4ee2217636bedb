-- Takes the functions away. Rows that are there stay, for a relay to send; without any, the tables go too.
SET LOCAL search_path = pg_catalog, pg_temp;
DO $do$ DECLARE one regprocedure; known text; BEGIN
    FOR one IN @ours@ LOOP EXECUTE format('DROP FUNCTION %s', one); END LOOP;
    -- Waits for transactions that have written rows and have not ended.
    DROP TRIGGER IF EXISTS outbox_position ON @store@.outbox;
    DROP FUNCTION IF EXISTS @store@.outbox_position();
    FOR known IN SELECT r.role FROM @store@.outbox_role r JOIN pg_roles p ON p.rolname = r.role LOOP
        EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM %I', @store_text@, known);
    END LOOP;
    DELETE FROM @store@.outbox_role;
    IF EXISTS (SELECT 1 FROM @store@.outbox) THEN RETURN; END IF;
    DROP TABLE @store@.outbox, @store@.outbox_lease, @store@.outbox_role;
    DROP SEQUENCE @store@.outbox_position_seq;
    BEGIN
        DROP SCHEMA @store@ RESTRICT;
    EXCEPTION WHEN dependent_objects_still_exist THEN
        RAISE NOTICE 'the schema is not empty and stays';
    END;
END $do$;
