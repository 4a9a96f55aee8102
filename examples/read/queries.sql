-- Queries for a database that `paje sql` has filled, in SQL that SQLite, MariaDB, MySQL and PostgreSQL have in common.
-- Each query begins with a line "-- name: what it returns", and covers all files in the database.

-- files: what was loaded, and how far
SELECT id, name, comment, line, complete, errors, last_time - first_time AS span FROM file ORDER BY id;

-- states: how often and how long each container was in each state
SELECT file_id, container, type, value, COUNT(*) AS times, SUM(duration) AS total, AVG(duration) AS mean,
    MIN(duration) AS least, MAX(duration) AS greatest
FROM states GROUP BY file_id, container_id, container, type, value ORDER BY file_id, container_id, type, value;

-- waits: the ten longest
SELECT file_id, container, value, start_time, duration FROM states WHERE value LIKE '%Wait%' OR value LIKE '%Recv%'
ORDER BY duration DESC, file_id, container_id, start_time LIMIT 10;

-- messages: for each pair of containers, how many messages there were and how long they took
SELECT file_id, type, start_container, end_container, COUNT(*) AS messages, AVG(duration) AS mean,
    MAX(duration) AS greatest
FROM links GROUP BY file_id, type, start_container_id, start_container, end_container_id, end_container
ORDER BY file_id, type, start_container_id, end_container_id;

-- imbalance: for each state, the longest time of a container in it, and the mean over all containers
SELECT file_id, type, value, COUNT(*) AS containers, MAX(total) AS greatest, AVG(total) AS mean
FROM (SELECT file_id, container_id, type, value, SUM(duration) AS total FROM states
      GROUP BY file_id, container_id, type, value) AS each_container
GROUP BY file_id, type, value ORDER BY file_id, type, value;

-- middle: the states that are open in the middle of the trace, from the bottom of each stack up
SELECT s.file_id, s.container, s.type, s.imbrication, s.value FROM states s, file f
WHERE s.file_id = f.id AND s.start_time <= (f.first_time + f.last_time) / 2
    AND s.end_time > (f.first_time + f.last_time) / 2
ORDER BY s.file_id, s.container_id, s.type, s.imbrication;

-- variables: for each variable its mean, weighted with time, and its integral
SELECT file_id, container, type, SUM(value * duration) / NULLIF(SUM(duration), 0) AS mean,
    SUM(value * duration) AS integral, MIN(value) AS least, MAX(value) AS greatest
FROM variables GROUP BY file_id, container_id, container, type ORDER BY file_id, container_id, type;

-- events: how many of each kind
SELECT file_id, type, value, COUNT(*) AS times FROM events GROUP BY file_id, type, value ORDER BY file_id, type, value;

-- lives: how many containers of each type there were, and their mean lifetime
SELECT c.file_id, t.name AS type, COUNT(*) AS containers, AVG(c.end_time - c.start_time) AS mean
FROM container c, type t WHERE c.file_id = t.file_id AND c.type_id = t.id
GROUP BY c.file_id, t.id, t.name ORDER BY c.file_id, t.id;

-- slices: how long each state lasted in each tenth of the trace, over all containers
WITH RECURSIVE tenth (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM tenth WHERE n < 9),
slice AS (SELECT f.id AS file_id, n, f.first_time + n * (f.last_time - f.first_time) / 10 AS start_time,
          f.first_time + (n + 1) * (f.last_time - f.first_time) / 10 AS end_time FROM file f, tenth)
SELECT s.file_id, n, s.type, s.value,
    SUM(CASE WHEN s.end_time < slice.end_time THEN s.end_time ELSE slice.end_time END -
        CASE WHEN s.start_time > slice.start_time THEN s.start_time ELSE slice.start_time END) AS total
FROM states s, slice
WHERE s.file_id = slice.file_id AND s.start_time < slice.end_time AND s.end_time > slice.start_time
GROUP BY s.file_id, n, s.type, s.value ORDER BY s.file_id, n, s.type, s.value;
