CREATE OR REPLACE FUNCTION ${schema}shardedid_first_tick() RETURNS bigint
DETERMINISTIC NO SQL RETURN ${firstTick};
