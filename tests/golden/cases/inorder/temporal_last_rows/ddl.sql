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

CREATE TABLE `history` (
  `currency` STRING,
  `rate` DECIMAL(10, 4),
  `ts` TIMESTAMP(3),
  WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = '${CASE_DIR}/input_history.jsonl',
  'format' = 'json'
);

CREATE VIEW `rates` AS SELECT `currency`, `rate`, `ts` FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY `currency` ORDER BY `ts` DESC) AS n FROM `history`) WHERE n = 1;
