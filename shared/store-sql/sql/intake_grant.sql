-- What a role may do: these functions, and nothing else of ours. @role@ is quoted, @role_text@ and @tenant_text@ are texts.
DO $do$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = @role_text@) THEN CREATE ROLE @role@ NOLOGIN; END IF;
END $do$;
INSERT INTO @store@.intake_role (role, tenant, created_at)
VALUES (@role_text@, @tenant_text@, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
ON CONFLICT (role) DO UPDATE SET tenant = excluded.tenant;
-- All roles: what they could call before was made anew.
DO $do$ DECLARE one regprocedure; known text; BEGIN
    FOR known IN SELECT r.role FROM @store@.intake_role r JOIN pg_roles p ON p.rolname = r.role LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', @api_text@, known);
        FOR one IN @offered@ LOOP EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', one, known); END LOOP;
    END LOOP;
END $do$;
