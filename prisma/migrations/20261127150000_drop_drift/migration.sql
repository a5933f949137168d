-- The service no longer compares what programs send to GET /api/user with what is stored.
DROP TABLE group_drift;
