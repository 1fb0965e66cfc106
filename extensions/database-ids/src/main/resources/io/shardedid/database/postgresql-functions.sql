CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_tick(moment timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((extract(epoch FROM moment) * 1000000)::bigint - ${epochMicros}) / ${tickMicros};

CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_shard(id bigint) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (id >> ${shardShift} & ${shardMask})::integer;

CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_instant(id bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN timestamptz '${epoch}' + (id >> ${timeShift}) * ${tickMicros} * interval '1 microsecond';

CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_first_id_at(moment timestamptz) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF moment < timestamptz '${epoch}' OR HOME_SCHEMA.shardedid_tick(moment) > ${lastTick} THEN
    RAISE EXCEPTION 'instant must be in [${epoch}, ${lastInstant}]: instant=%', moment
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN HOME_SCHEMA.shardedid_tick(moment) << ${timeShift};
END $$;

-- a * b as 64 bits, without the error that an overflow would be.
CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_product(a bigint, b numeric) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (mod(mod(a * b, 18446744073709551616) + 27670116110564327424, 18446744073709551616) - 9223372036854775808)::bigint;

CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_mix(z bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  z := HOME_SCHEMA.shardedid_product(z # (z >> 30 & 17179869183), 13787848793156543929);
  z := HOME_SCHEMA.shardedid_product(z # (z >> 27 & 137438953471), 10723151780598845931);
  RETURN z # (z >> 31 & 8589934591);
END $$;

CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_hash(key bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN HOME_SCHEMA.shardedid_mix(HOME_SCHEMA.shardedid_product(1, key + 11400714819323198485));

CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_hash(key text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  bytes CONSTANT bytea := convert_to(key, 'UTF8');
  h bigint := -3750763034362895579;
BEGIN
  FOR i IN 0 .. length(bytes) - 1 LOOP
    h := HOME_SCHEMA.shardedid_product(h # get_byte(bytes, i)::bigint, 1099511628211);
  END LOOP;
  RETURN HOME_SCHEMA.shardedid_mix(h);
END $$;

CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_shard_for(key bigint) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ${shardForNumber};

CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_hash(key uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN HOME_SCHEMA.shardedid_mix(HOME_SCHEMA.shardedid_product(1,
    HOME_SCHEMA.shardedid_mix(HOME_SCHEMA.shardedid_product(1,
      ('x' || substr(replace(key::text, '-', ''), 1, 16))::bit(64)::bigint + 11400714819323198485))
    + ('x' || substr(replace(key::text, '-', ''), 17))::bit(64)::bigint::numeric));

CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_shard_for(key uuid) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN mod(mod(HOME_SCHEMA.shardedid_hash(key) + 18446744073709551616, 18446744073709551616), ${shards})::integer;

CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_shard_for(key text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN mod(mod(HOME_SCHEMA.shardedid_hash(key) + 18446744073709551616, 18446744073709551616), ${shards})::integer;

-- The home of a row: the shard that its id hands on. An id from before the counter's first tick carries none and is a plain
-- number. If it has 41 bits or more, the call fails unless the line was declared (${lineDeclared}).
CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_colocated(id bigint) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  first_tick CONSTANT bigint := (SELECT seqstart >> ${sequenceBits}
      FROM pg_sequence WHERE seqrelid = 'HOME_SCHEMA.shardedid_cell'::regclass);
BEGIN
  IF id BETWEEN 0 AND ${lastId} AND id >> ${timeShift} >= first_tick THEN
    RETURN HOME_SCHEMA.shardedid_shard(id);
  END IF;
  IF NOT ${lineDeclared} AND ${shards} > 1 AND id BETWEEN 1099511627776 AND ${lastId} THEN
    RAISE EXCEPTION 'Could not find the shard of an id: id=%, time of its bits=%, first lease=%, shard by its bits=%, shard as a plain number=% (an id that is older than the first lease has two readings); set shardedid.older-ids-before, or DatabaseIds.since, and create the functions anew',
      id, HOME_SCHEMA.shardedid_instant(id), HOME_SCHEMA.shardedid_instant(first_tick << ${timeShift}),
      HOME_SCHEMA.shardedid_shard(id), HOME_SCHEMA.shardedid_shard_for(id)
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN HOME_SCHEMA.shardedid_shard_for(id);
END $$;

-- The next tick and sequence. A sequence that is used up goes on in the next tick, at most ${maxAhead} ticks ahead of the clock; then
-- callers wait, ${maxWait} at most, also after the clock was set back. Never the same id twice. It has the rights of its owner,
-- so that no role that makes ids needs a right to set the counter.
CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_claim() RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  patience CONSTANT timestamptz := clock_timestamp() + interval '${maxWait}';
  naps integer := 0;
  now_cell bigint := HOME_SCHEMA.shardedid_tick(clock_timestamp()) << ${sequenceBits};
  cell bigint := pg_sequence_last_value('HOME_SCHEMA.shardedid_cell');
BEGIN
  IF cell - now_cell >= ${cellsTooFar} THEN
    -- no patience is long enough, so the counter stays where it is
    naps := ${maxNaps} + 1;
  ELSE
    -- The counter is moved up to the clock by one session alone, and counted up by many. The locks are no transaction's, so
    -- none waits long.
    BEGIN
      PERFORM pg_advisory_lock_shared(${lock});
      cell := nextval('HOME_SCHEMA.shardedid_cell');
      PERFORM pg_advisory_unlock_shared(${lock});
      IF cell < now_cell THEN
        PERFORM pg_advisory_lock(${lock});
        cell := nextval('HOME_SCHEMA.shardedid_cell');
        IF cell < now_cell THEN
          -- if the sequence has a CACHE, other sessions hold values up to the last one, and this session has counted in its own
          cell := setval('HOME_SCHEMA.shardedid_cell',
              greatest(now_cell, pg_sequence_last_value('HOME_SCHEMA.shardedid_cell') + 1));
        END IF;
        PERFORM pg_advisory_unlock(${lock});
      END IF;
    EXCEPTION WHEN query_canceled OR OTHERS THEN
      -- cancelled between any two steps: the server knows what this session holds
      PERFORM CASE mode WHEN 'ShareLock' THEN pg_advisory_unlock_shared(${lock}) ELSE pg_advisory_unlock(${lock}) END
        FROM pg_locks
        WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted
          AND (classid::bigint << 32 | objid::bigint) = ${lock} AND objsubid = 1;
      RAISE;
    END;
    IF cell >> ${sequenceBits} > ${lastTick} THEN
      RAISE EXCEPTION 'Could not generate an id: the time range of the layout is used up';
    END IF;
  END IF;
  WHILE cell - now_cell >= ${cellsAhead} LOOP
    -- naps are counted, too: a clock that is set back meanwhile makes nobody wait longer
    IF clock_timestamp() > patience OR naps > ${maxNaps} THEN
      RAISE EXCEPTION 'Could not generate an id: ids are % ms ahead of the clock of the database (at most ${maxAhead} ticks); was it set back?',
        trunc(((cell >> ${sequenceBits}) - HOME_SCHEMA.shardedid_tick(clock_timestamp()))::numeric * ${tickMicros} / 1000)
        USING ERRCODE = 'lock_not_available',
          DETAIL = format('counter=%s, counter by the clock=%s, layout of the functions=''${fingerprint}'', comment of the counter=''%s''',
            cell, now_cell, obj_description('HOME_SCHEMA.shardedid_cell'::regclass, 'pg_class')),
          HINT = 'If the clock of the server is wrong, set it right. If it is right, the counter was set by hand or by another layout: its owner runs "BEGIN; ALTER SEQUENCE HOME_SCHEMA.shardedid_cell RESTART; SELECT pg_sleep(${secondsAhead}); COMMIT", and inserts wait meanwhile.';
    END IF;
    PERFORM pg_sleep(0.002);
    naps := naps + 1;
    now_cell := HOME_SCHEMA.shardedid_tick(clock_timestamp()) << ${sequenceBits};
  END LOOP;
  RETURN cell;
END $$;

-- A role that makes ids needs this right: GRANT EXECUTE ON FUNCTION shardedid_claim() TO app
REVOKE EXECUTE ON FUNCTION HOME_SCHEMA.shardedid_claim() FROM PUBLIC;

CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_compose(cell bigint, shard integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((cell >> ${sequenceBits}) << ${timeShift}) | (shard::bigint << ${shardShift})
    | ((cell & ${sequenceMask}) << ${sequenceShift}) | ${workerBits};

-- The next id of a shard.
CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_next(shard integer) RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF shard IS NULL THEN
    RAISE EXCEPTION 'Could not generate an id: the shard key is null (set it before the insert)'
      USING ERRCODE = 'not_null_violation';
  END IF;
  IF shard NOT BETWEEN ${firstShard} AND ${lastShard} THEN
    RAISE EXCEPTION 'Could not generate an id: shard must be in [${firstShard}, ${lastShard}]: shard=%', shard
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN HOME_SCHEMA.shardedid_compose(HOME_SCHEMA.shardedid_claim(), shard);
END $$;

-- The next id of a row without a key: the tick picks the shard, so that such ids increase over all shards.
CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_next() RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  cell CONSTANT bigint := HOME_SCHEMA.shardedid_claim();
  mixed CONSTANT bigint := HOME_SCHEMA.shardedid_mix((cell >> ${sequenceBits}) * 31 + ${worker});
BEGIN
  RETURN HOME_SCHEMA.shardedid_compose(cell,
    ((mixed >> 32 & 4294967295) * (${lastShard} - ${firstShard} + 1) >> 32)::integer + ${firstShard});
END $$;
