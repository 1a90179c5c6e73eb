SELECT id, a, r.x AS x, r.y AS y, m['k'] AS k, m['l'] AS l FROM t
