SELECT CAST(SUM(m) AS DECIMAL(5,2)) AS a, AVG(big) AS c, SUM(big + big) AS d, COUNT(big + big) AS e, SUM(CAST(m AS DECIMAL(5,2))) AS f, MAX(CAST(d AS DECIMAL(5,2))) AS g FROM t
