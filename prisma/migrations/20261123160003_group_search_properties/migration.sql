-- Groups that have a property of some value.
CREATE INDEX CONCURRENTLY "group_search_properties_idx" ON "group_search" USING GIN ("properties" jsonb_path_ops) WITH (gin_pending_list_limit = 512)
