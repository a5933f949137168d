-- The service clears these lists each half second: a change does only where that is too seldom, so there is room for what comes in between.
ALTER INDEX "group_search_search_text_idx" SET (gin_pending_list_limit = 4096);
ALTER INDEX "group_search_properties_idx" SET (gin_pending_list_limit = 4096);
