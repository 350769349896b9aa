-- Nodes and files side by side: from a Tally table into Parquet (CREATE TABLE … AS SELECT), and joins of both.

DROP TABLE IF EXISTS flights;
CREATE TABLE flights USING tally OPTIONS (endpoints '${endpoints}', table 'flights');
DROP TABLE IF EXISTS airports;
CREATE TABLE airports USING tally OPTIONS (endpoints '${endpoints}', table 'airports');

-- The nodes group; a row per airport and month comes to Spark, which writes it.
DROP TABLE IF EXISTS monthly;
CREATE TABLE monthly USING parquet AS
SELECT origin, month(date) AS month, count(*) AS departures, sum(delay) AS minutes
FROM flights GROUP BY origin, month(date);
SELECT month, sum(departures), sum(minutes) FROM monthly GROUP BY month ORDER BY month;

-- A Parquet table joined with one of the nodes.
SELECT state, sum(minutes) AS minutes FROM monthly JOIN airports ON origin = iata
WHERE month = 2 GROUP BY state ORDER BY minutes DESC LIMIT 3;

-- A few rows of a Parquet table choose among millions on the nodes: the keys of a broadcast join are sent to them.
DROP TABLE IF EXISTS watched;
CREATE TABLE watched USING parquet AS SELECT iata, city FROM airports WHERE iata IN ('YAK', 'GST');
SELECT city, count(*), max(delay) FROM flights JOIN watched ON origin = iata GROUP BY city ORDER BY city;
