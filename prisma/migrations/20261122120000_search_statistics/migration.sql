-- Whether a search reads on in order or sorts all that it finds depends on how many the planner expects. By the usual sample of a
-- hundred names what one in a hundred has is in it by chance.
ALTER INDEX "user_group_sort_name_idx" ALTER COLUMN 2 SET STATISTICS 400;
