-- A template that signs with its renderer's secret keeps it as a key without a public half.
ALTER TABLE viewer_key ALTER COLUMN public_jwk DROP NOT NULL;
