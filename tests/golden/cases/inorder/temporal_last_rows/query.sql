SELECT t.id, t.currency, r.rate
FROM trades AS t LEFT JOIN rates FOR SYSTEM_TIME AS OF t.ts AS r ON t.currency = r.currency
