CREATE TABLE `trades` (
  `id` INT,
  `currency` STRING,
  `amount` INT,
  `ts` TIMESTAMP(3),
  WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = '${CASE_DIR}/input_trades.jsonl',
  'format' = 'json'
);

CREATE TABLE `rates` (
  `currency` STRING,
  `rate` DECIMAL(10, 4),
  `region` STRING,
  `ts` TIMESTAMP(3),
  PRIMARY KEY (`currency`) NOT ENFORCED,
  WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = '${CASE_DIR}/input_rates.jsonl',
  'format' = 'debezium-json'
);
