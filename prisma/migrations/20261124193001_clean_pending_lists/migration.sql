-- PostgreSQL lets the owner of an index alone clear its pending list, and the role that serves is not the owner: it may do this much.
CREATE FUNCTION "clean_pending_lists"() RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
    SELECT gin_clean_pending_list('group_search_search_text_idx'), gin_clean_pending_list('group_search_properties_idx')
$$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION clean_pending_lists() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;

REVOKE ALL ON FUNCTION "clean_pending_lists"() FROM PUBLIC;
