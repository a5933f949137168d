-- How an API token begins and ends, to tell one from another. Null for tokens from before, and for those of an operator's own form.
ALTER TABLE api_token ADD COLUMN hint TEXT;
