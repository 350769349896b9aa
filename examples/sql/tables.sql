-- Tables and views over nodes. ${endpoints} is given with -d endpoints=…

-- The nodes say what columns there are.
DROP TABLE IF EXISTS flights;
CREATE TABLE flights USING tally OPTIONS (endpoints '${endpoints}', table 'flights');
DESCRIBE flights;
SELECT count(*), avg(delay) FROM flights;

-- Some of the columns, in an order of your own. Types are checked against the nodes', here and now.
DROP TABLE IF EXISTS delays;
CREATE TABLE delays (origin STRING, delay BIGINT COMMENT 'minutes')
USING tally OPTIONS (endpoints '${endpoints}', table 'flights');
SELECT * FROM delays WHERE delay > 1450 ORDER BY delay;

-- What the nodes are asked: see PushedAggregates, and NotPushed for what is left to Spark.
EXPLAIN SELECT origin, count(*), avg(delay) FROM delays WHERE delay > 0 GROUP BY origin;

-- A name for this session alone, and a view on top of it: both are looked through.
CREATE TEMPORARY VIEW airports USING tally OPTIONS (endpoints '${endpoints}', table 'airports');
CREATE TEMPORARY VIEW alaska AS SELECT iata, city FROM airports WHERE state = 'AK';
SELECT city, count(*) AS departures FROM flights JOIN alaska ON origin = iata
GROUP BY city ORDER BY departures DESC, city LIMIT 3;

-- The nodes are asked once; what follows is answered from Spark's memory.
CACHE TABLE busy AS SELECT origin, count(*) AS departures FROM flights GROUP BY origin;
SELECT count(*), sum(departures) FROM busy;
SELECT origin, departures FROM busy ORDER BY departures DESC LIMIT 3;
UNCACHE TABLE busy;

-- Constants are counted as Spark counts them.
SELECT count(DISTINCT 5), count(1) FROM flights;
