-- Of two ids that look alike, one at least is not as it looks. Concurrently: groups are changed while a large table is read.
CREATE INDEX CONCURRENTLY user_group_id_skeleton_idx ON user_group (environment_id, id_skeleton(provided_id))
    WHERE id_skeleton(provided_id) <> provided_id;
