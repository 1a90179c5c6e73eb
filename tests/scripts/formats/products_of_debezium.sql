-- The same as Debezium brings it.
CREATE TABLE products (
    id INT, name STRING, price DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/products.debezium.json', 'format' = 'debezium-json');
CREATE TABLE dwd_products (id INT, name STRING, price DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/dwd_products', 'format' = 'json');
INSERT INTO dwd_products SELECT id, name, price FROM products;
