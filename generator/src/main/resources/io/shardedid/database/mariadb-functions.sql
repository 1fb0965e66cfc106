-- Ids read by MariaDB, 10.6 or later: the same layout, shards and shard function as the application's.
-- Layout: ${fingerprint}; shards=${shards}. Times are datetime(6) in UTC.
-- The tick of the first sharded id.
CREATE FUNCTION IF NOT EXISTS ${schema}shardedid_first_tick() RETURNS bigint
DETERMINISTIC NO SQL RETURN ${firstTick};

CREATE OR REPLACE FUNCTION ${schema}shardedid_tick(moment datetime(6)) RETURNS bigint
DETERMINISTIC NO SQL RETURN TIMESTAMPDIFF(MICROSECOND, '${epochText}', moment) DIV ${tickMicros};

CREATE OR REPLACE FUNCTION ${schema}shardedid_shard(id bigint) RETURNS int
DETERMINISTIC NO SQL RETURN id >> ${shardShift} & ${shardMask};

CREATE OR REPLACE FUNCTION ${schema}shardedid_instant(id bigint) RETURNS datetime(6)
DETERMINISTIC NO SQL RETURN timestamp'${epochText}' + INTERVAL (id >> ${timeShift}) * ${tickMicros} MICROSECOND;

CREATE OR REPLACE FUNCTION ${schema}shardedid_first_id_at(moment datetime(6)) RETURNS bigint
DETERMINISTIC NO SQL RETURN ${schema}shardedid_tick(moment) << ${timeShift};

-- a * b as 64 bits, without the error that an overflow would be.
CREATE OR REPLACE FUNCTION ${schema}shardedid_product(a bigint unsigned, b bigint unsigned) RETURNS bigint unsigned
DETERMINISTIC NO SQL
RETURN CAST(MOD(CAST(a AS decimal(20)) * CAST(b AS decimal(20)), 18446744073709551616) AS unsigned);

CREATE OR REPLACE FUNCTION ${schema}shardedid_sum(a bigint unsigned, b bigint unsigned) RETURNS bigint unsigned
DETERMINISTIC NO SQL
RETURN CAST(MOD(CAST(a AS decimal(20)) + CAST(b AS decimal(20)), 18446744073709551616) AS unsigned);

CREATE OR REPLACE FUNCTION ${schema}shardedid_mix(z bigint unsigned) RETURNS bigint unsigned
DETERMINISTIC NO SQL
BEGIN
  SET z = ${schema}shardedid_product(z ^ (z >> 30), 13787848793156543929);
  SET z = ${schema}shardedid_product(z ^ (z >> 27), 10723151780598845931);
  RETURN z ^ (z >> 31);
END;

CREATE OR REPLACE FUNCTION ${schema}shardedid_hash(k bigint) RETURNS bigint unsigned
DETERMINISTIC NO SQL
RETURN ${schema}shardedid_mix(${schema}shardedid_sum(CAST(k AS unsigned), 11400714819323198485));

CREATE OR REPLACE FUNCTION ${schema}shardedid_hash_text(k longtext CHARACTER SET utf8mb4) RETURNS bigint unsigned
DETERMINISTIC NO SQL
BEGIN
  DECLARE bytes longblob DEFAULT CAST(k AS binary);
  DECLARE h bigint unsigned DEFAULT 14695981039346656037;
  DECLARE i int DEFAULT 1;
  IF k IS NULL THEN
    RETURN NULL;
  END IF;
  WHILE i <= LENGTH(bytes) DO
    SET h = ${schema}shardedid_product(h ^ ORD(SUBSTR(bytes, i, 1)), 1099511628211);
    SET i = i + 1;
  END WHILE;
  RETURN ${schema}shardedid_mix(h);
END;

CREATE OR REPLACE FUNCTION ${schema}shardedid_hash_uuid(k char(36)) RETURNS bigint unsigned
DETERMINISTIC NO SQL
BEGIN
  DECLARE digits char(32) DEFAULT REPLACE(k, '-', '');
  RETURN ${schema}shardedid_mix(${schema}shardedid_sum(
    ${schema}shardedid_mix(${schema}shardedid_sum(CAST(CONV(LEFT(digits, 16), 16, 10) AS unsigned), 11400714819323198485)),
    CAST(CONV(RIGHT(digits, 16), 16, 10) AS unsigned)));
END;

CREATE OR REPLACE FUNCTION ${schema}shardedid_shard_for(k bigint) RETURNS int
DETERMINISTIC NO SQL RETURN ${shardForNumber};

CREATE OR REPLACE FUNCTION ${schema}shardedid_shard_for_text(k longtext CHARACTER SET utf8mb4) RETURNS int
DETERMINISTIC NO SQL RETURN MOD(${schema}shardedid_hash_text(k), ${shards});

CREATE OR REPLACE FUNCTION ${schema}shardedid_shard_for_uuid(k char(36)) RETURNS int
DETERMINISTIC NO SQL RETURN MOD(${schema}shardedid_hash_uuid(k), ${shards});

-- The home of a row: the shard that its id hands on. An id from before the first tick carries none and is a plain number. If
-- it has 41 bits or more, it is refused unless the line was declared (${lineDeclared}).
CREATE OR REPLACE FUNCTION ${schema}shardedid_colocated(id bigint) RETURNS int
DETERMINISTIC NO SQL
BEGIN
  IF id BETWEEN 0 AND ${lastId} AND id >> ${timeShift} >= ${schema}shardedid_first_tick() THEN
    RETURN ${schema}shardedid_shard(id);
  END IF;
  IF NOT ${lineDeclared} AND ${shards} > 1 AND id BETWEEN 1099511627776 AND ${lastId} THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'Could not find the shard of an id that is older than the first lease; create the functions anew with since(...)';
  END IF;
  RETURN ${schema}shardedid_shard_for(id);
END;
