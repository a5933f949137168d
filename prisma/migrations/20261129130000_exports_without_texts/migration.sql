-- What exports searched for is a group's content, which an erasure did not reach: entries keep the names of these parameters alone.
SELECT set_config('user_groups.erases', 'on', true);

UPDATE audit_entry a SET after = ((a.after::jsonb - ARRAY['search', 'filter', 'user_group_id'])
    || CASE WHEN asked.names IS NULL THEN '{}' ELSE jsonb_build_object('narrowed_by', asked.names) END)::text
FROM audit_entry e CROSS JOIN LATERAL (
    SELECT jsonb_agg(key ORDER BY key) FILTER (WHERE value NOT IN ('""', '[]')) AS names
    FROM jsonb_each(e.after::jsonb) WHERE key IN ('search', 'filter', 'user_group_id')
) AS asked
WHERE a.id = e.id AND a.at = e.at AND e.action IN ('user_groups.exported', 'history.exported')
    AND e.after::jsonb ?| ARRAY['search', 'filter', 'user_group_id'];

SELECT set_config('user_groups.erases', 'off', true);
