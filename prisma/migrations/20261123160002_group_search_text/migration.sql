-- Parts of a name or an id. The list of entries that wait to be sorted in is short, as every search reads it and one write clears it.
CREATE INDEX CONCURRENTLY "group_search_search_text_idx" ON "group_search" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 512)
