CREATE TABLE `bid` (
  `id` BIGINT,
  `ts` TIMESTAMP(3),
  `item` STRING,
  `supplier` STRING,
  `user_id` INT,
  `qty` INT,
  `amt` BIGINT,
  `price` DECIMAL(10, 2),
  `dbl` DOUBLE,
  `flag` BOOLEAN,
  `pt` AS PROCTIME(),
  WATERMARK FOR `ts` AS `ts` - INTERVAL '1' MINUTE
) WITH (
  'connector' = 'filesystem',
  'path' = '${CASE_DIR}/input_bid.jsonl',
  'format' = 'json'
);
