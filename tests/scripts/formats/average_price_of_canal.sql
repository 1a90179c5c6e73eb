-- An average over rows that change.
-- Needs: 4
CREATE TABLE products (
    id INT, name STRING, price DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/products.canal.json', 'format' = 'canal-json');
CREATE TABLE averages (products BIGINT, price DECIMAL(38, 6))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/averages', 'format' = 'debezium-json');
SET 'table.exec.state.unbounded' = 'allow';
INSERT INTO averages SELECT COUNT(*), AVG(price) FROM products;
