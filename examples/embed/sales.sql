-- What the dashboards show: a year of sales in two regions.
CREATE TABLE IF NOT EXISTS sales (
    region TEXT NOT NULL,
    month DATE NOT NULL,
    amount INTEGER NOT NULL,
    orders INTEGER NOT NULL,
    PRIMARY KEY (region, month)
);

INSERT INTO sales (region, month, amount, orders)
SELECT region, month, 100 * base + 40 * extract(month FROM month)::int % 170, 10 * base + extract(month FROM month)::int % 7
FROM (VALUES ('north', 3), ('south', 5)) AS regions (region, base),
    generate_series(DATE '2026-01-01', DATE '2026-12-01', '1 month') AS months (month)
ON CONFLICT DO NOTHING;
