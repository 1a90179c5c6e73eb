-- A table of products, as Maxwell brings its changes.
-- Needs: 4
CREATE TABLE products (
    id INT, name STRING, price DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/products.maxwell.json', 'format' = 'maxwell-json');
CREATE TABLE dwd_products (id INT, name STRING, price DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/dwd_products', 'format' = 'json');
INSERT INTO dwd_products SELECT id, name, price FROM products;
