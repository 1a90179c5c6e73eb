SELECT t.id, t.currency, t.amount, t.ts, r.rate, r.region, r.ts AS since
FROM trades AS t LEFT JOIN rates FOR SYSTEM_TIME AS OF t.ts AS r
ON t.currency = r.currency AND (r.region IS NULL OR r.region <> 'south')
