-- Lists search and filter by the indexes of group_search: a rotation writes to none of these.
DROP INDEX "user_group_search_idx", "user_group_properties_idx";
