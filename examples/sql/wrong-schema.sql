-- A schema that is not the nodes': CREATE TABLE fails, before there is a table. To be seen failing.
DROP TABLE IF EXISTS wrong;
CREATE TABLE wrong (origin STRING, delay STRING)
USING tally OPTIONS (endpoints '${endpoints}', table 'flights');
