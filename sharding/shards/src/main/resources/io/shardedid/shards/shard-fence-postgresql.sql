-- The fence of ShardedId around the shards of a database, for PostgreSQL 15 or later: it lets a logical shard move to another
-- database while people write to it. Run the script in every database that holds shards, in the schema of the tables; it may
-- run again at any time. Then say how many shards there are, and fence each table. For 2,000 shards and the layout 'standard',
-- whose shard has 11 bits above 12 others:
--   SELECT shardedid_homes(2000);
--   SELECT shardedid_fence('photo', 'id', 12, 2047);
-- An account that enters shards itself, as that of a router does, needs a right:
--   GRANT EXECUTE ON FUNCTION shardedid_enter(integer) TO app;
CREATE TABLE IF NOT EXISTS shardedid_home (
  shard      INTEGER     NOT NULL PRIMARY KEY,
  state      VARCHAR(10) NOT NULL CHECK (state IN ('here', 'arriving', 'moved')),
  mover      BIGINT      NOT NULL,   -- token of the mover that changed the row last; 0 = nobody
  changed_at TIMESTAMPTZ NOT NULL,
  copied     TEXT,                   -- the digests of the rows that a move has copied here; 'left' and 'cleaned' where it took them from
  UNIQUE (shard, state)              -- makes the state a part of the key: FOR KEY SHARE below guards it, and not the token
);

-- Says which database this is. Routers and movers compare it with what the shard map has noted for its name.
CREATE TABLE IF NOT EXISTS shardedid_identity (
  one      INTEGER     NOT NULL PRIMARY KEY CHECK (one = 1),
  identity VARCHAR(36) NOT NULL
);
INSERT INTO shardedid_identity VALUES (1, gen_random_uuid()) ON CONFLICT DO NOTHING;

-- The number of the last transaction that changed a home. Its value is the same in every snapshot.
CREATE SEQUENCE IF NOT EXISTS shardedid_home_changed MINVALUE 0;

-- The functions find their tables whatever the search path of the caller is, and take no operator that an account creates in the
-- schema of the fence: they name the schema of each table, and their path has no schema but PostgreSQL's own. Each function gets its
-- search path in the statement that makes it, because a function that is replaced loses what another statement has set.
DO $do$
DECLARE
  home_schema CONSTANT text := quote_ident(current_schema());
BEGIN

-- Gives every shard its row. A shard that has a row keeps it. A row that appears later than the snapshot of a transaction would
-- be invisible to it, so all rows are there from the beginning.
EXECUTE replace($sql$
CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_homes(shards integer) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $function$
  INSERT INTO HOME_SCHEMA.shardedid_home (shard, state, mover, changed_at)
  SELECT shard, 'here', 0, clock_timestamp() FROM generate_series(0, shards - 1) AS shard
  ON CONFLICT DO NOTHING
$function$
$sql$, 'HOME_SCHEMA', home_schema);

-- Notes which transaction changes a home, before it commits. Two that change homes wait for each other.
EXECUTE replace($sql$
CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_note_home() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  PERFORM pg_advisory_xact_lock(TG_RELID::integer, -1);
  PERFORM setval(tableoid::regclass, greatest(last_value, pg_current_xact_id()::text::bigint)) FROM HOME_SCHEMA.shardedid_home_changed;
  RETURN NULL;
END $function$
$sql$, 'HOME_SCHEMA', home_schema);
EXECUTE replace('REVOKE EXECUTE ON FUNCTION HOME_SCHEMA.shardedid_note_home() FROM PUBLIC', 'HOME_SCHEMA', home_schema);
CREATE OR REPLACE TRIGGER shardedid_note_home AFTER UPDATE OF state OR DELETE ON shardedid_home
  FOR EACH STATEMENT EXECUTE FUNCTION shardedid_note_home();
ALTER TABLE shardedid_home ENABLE ALWAYS TRIGGER shardedid_note_home;
-- homes that changed before there was a trigger
PERFORM pg_advisory_xact_lock('shardedid_home'::regclass::oid::integer, -1);
PERFORM setval(tableoid::regclass, greatest(last_value, pg_current_xact_id()::text::bigint)) FROM shardedid_home_changed;

-- Lets the transaction enter a shard, once: it shares the lock of the shard until it ends, and then looks whether the shard is
-- here. The lock is that of the shard in these homes: another application of this database has homes, and so locks, of its own. A mover needs that lock alone, and has it until the shard takes writes again: who meets it waits for a second at most, and
-- from a second after the shard was closed nobody waits. A snapshot that is older than the look would still say "here": if a home
-- may have changed since, the transaction locks the row, and PostgreSQL refuses that with 40001 if the row has changed. Otherwise
-- it reads the row, because each lock that two transactions share would cost a MultiXact. A setting for each 32 shards has a digit
-- for each of them, 1 if the transaction has entered it, and the number of the transaction, so a setting that is left in a session
-- opens nothing. A transaction that has not written has no number, gets none for this, and enters once more before its first row.
EXECUTE replace($sql$
CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_enter(wanted integer) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $function$
DECLARE
  found_state text;
  may_be_old boolean := false;
  homes CONSTANT integer := $home$HOME_SCHEMA.shardedid_home$home$::regclass::oid;
  setting CONSTANT text := 'shardedid.entered_' || (wanted >> 5);
  entered text := current_setting(setting, true);
BEGIN
  IF (entered LIKE '%:' || pg_current_xact_id_if_assigned()) IS NOT TRUE THEN
    entered := repeat('0', 32) || ':' || pg_current_xact_id_if_assigned();
  ELSIF substr(entered, 1 + (wanted & 31), 1) = '1' THEN
    RETURN;
  END IF;
  IF NOT pg_try_advisory_xact_lock_shared(homes, wanted) THEN
    BEGIN
      IF EXISTS (SELECT FROM HOME_SCHEMA.shardedid_home
                  WHERE shard = wanted AND state <> 'here' AND changed_at < clock_timestamp() - interval '1 second') THEN
        RAISE lock_not_available;
      END IF;
      PERFORM pg_advisory_xact_lock_shared(homes, wanted);
    EXCEPTION WHEN lock_not_available THEN
      RAISE EXCEPTION 'Could not enter shard: shard=%, state=moving (a mover keeps it closed for longer than a second); read the shard map again and repeat the transaction', wanted
        USING ERRCODE = 'SI001';
    END;
  END IF;
  IF current_setting('transaction_isolation') <> 'read committed' AND current_setting('transaction_read_only') = 'off' THEN
    may_be_old := (SELECT last_value >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM HOME_SCHEMA.shardedid_home_changed);
  END IF;
  IF may_be_old THEN
    SELECT state INTO found_state FROM HOME_SCHEMA.shardedid_home WHERE shard = wanted FOR KEY SHARE;
  ELSE
    SELECT state INTO found_state FROM HOME_SCHEMA.shardedid_home WHERE shard = wanted;
  END IF;
  IF found_state IS NULL THEN
    RAISE EXCEPTION 'Could not enter shard: shard=%, state=none (each shard has a row in shardedid_home); run shardedid_homes(shards) in this database', wanted
      USING ERRCODE = 'SI002';
  END IF;
  IF found_state <> 'here' THEN
    RAISE EXCEPTION 'Could not enter shard: shard=%, state=% (the shard is not in this database); read the shard map again and repeat the transaction', wanted, found_state
      USING ERRCODE = 'SI001';
  END IF;
  IF entered IS NOT NULL THEN
    PERFORM set_config(setting, overlay(entered PLACING '1' FROM 1 + (wanted & 31)), true);
  END IF;
END $function$
$sql$, 'HOME_SCHEMA', home_schema);
EXECUTE replace('REVOKE EXECUTE ON FUNCTION HOME_SCHEMA.shardedid_enter(integer) FROM PUBLIC', 'HOME_SCHEMA', home_schema);

-- Says whether the transaction has yet to enter a shard, for each row. A search path of its own would cost more than the look, so
-- every name is qualified. A condition that said the same without a function would be prepared anew for each statement, slowly.
EXECUTE replace($sql$
CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_outside(shard integer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $function$
BEGIN
  RETURN (pg_catalog.current_setting('shardedid.entered_' OPERATOR(pg_catalog.||) (shard OPERATOR(pg_catalog.>>) 5), true)
    OPERATOR(pg_catalog.~~) (pg_catalog.repeat('_', shard OPERATOR(pg_catalog.&) 31) OPERATOR(pg_catalog.||) '1%:'
      OPERATOR(pg_catalog.||) pg_catalog.pg_current_xact_id())) IS NOT TRUE;
END $function$
$sql$, 'HOME_SCHEMA', home_schema);
EXECUTE replace('GRANT EXECUTE ON FUNCTION HOME_SCHEMA.shardedid_outside(integer) TO PUBLIC', 'HOME_SCHEMA', home_schema);

-- Fences a table whose ids carry the shard above shift bits, under a mask. The triggers fire after those that make ids, because
-- their names sort last, and they do nothing in a transaction that has entered the shard of the row. They enter by the right of
-- the owner of the table, so a role that may write a row needs no other right.
EXECUTE replace($sql$
CREATE OR REPLACE FUNCTION HOME_SCHEMA.shardedid_fence(fenced regclass, id_column name, shift integer, mask bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  home CONSTANT text := $home$HOME_SCHEMA$home$;
  enter CONSTANT text := (
    SELECT format('%I.%I', nspname,
        'shardedid_fence_' || CASE WHEN octet_length(relname::text) < 47 THEN relname::text ELSE md5(relname::text) END)
      FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace WHERE pg_class.oid = fenced);
  owner CONSTANT regrole := (SELECT relowner FROM pg_catalog.pg_class WHERE oid = fenced);
  shard_of CONSTANT text := format('((%%s.%s >> %s) & %s)::integer', replace(quote_ident(id_column), '%', '%%'), shift, mask);
  new_shard CONSTANT text := format(shard_of, 'NEW');
  old_shard CONSTANT text := format(shard_of, 'OLD');
BEGIN
  EXECUTE format('CREATE OR REPLACE FUNCTION %1$s() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  IF TG_OP <> ''INSERT'' THEN
    PERFORM %2$s.shardedid_enter(%3$s);
  END IF;
  IF TG_OP = ''DELETE'' THEN
    RETURN OLD;
  END IF;
  IF NEW.%5$I IS NOT NULL AND NEW.%5$I IS DISTINCT FROM OLD.%5$I THEN
    PERFORM %2$s.shardedid_enter(%4$s);
  END IF;
  RETURN NEW;
EXCEPTION WHEN undefined_column THEN
  RAISE EXCEPTION ''Could not enter shard: fence of table %% reads column %%, which the table does not have; run shardedid_fence with the column of the id'', TG_RELID::regclass, %5$L
    USING ERRCODE = ''SI002'';
END $body$', enter, home, old_shard, new_shard, id_column);
  EXECUTE format('REVOKE EXECUTE ON FUNCTION %s() FROM PUBLIC', enter);
  IF owner <> quote_ident(current_user)::regrole THEN
    -- with the rights of a superuser, an owner who renames columns could run what it likes
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s.shardedid_enter(integer) TO %s', home, owner);
    EXECUTE format('ALTER FUNCTION %s() OWNER TO %s', enter, owner);
  END IF;
  EXECUTE format('CREATE OR REPLACE TRIGGER zz_shardedid_fence_insert BEFORE INSERT ON %s FOR EACH ROW WHEN (%s.shardedid_outside(%s)) EXECUTE FUNCTION %s(%L, %L, %L)',
    fenced, home, new_shard, enter, id_column, shift, mask);
  EXECUTE format('CREATE OR REPLACE TRIGGER zz_shardedid_fence_update BEFORE UPDATE ON %1$s FOR EACH ROW WHEN (%2$s.shardedid_outside(%3$s) OR OLD.%6$I IS DISTINCT FROM NEW.%6$I AND %2$s.shardedid_outside(%4$s)) EXECUTE FUNCTION %5$s(%6$L, %7$L, %8$L)',
    fenced, home, old_shard, new_shard, enter, id_column, shift, mask);
  EXECUTE format('CREATE OR REPLACE TRIGGER zz_shardedid_fence_delete BEFORE DELETE ON %s FOR EACH ROW WHEN (%s.shardedid_outside(%s)) EXECUTE FUNCTION %s(%L, %L, %L)',
    fenced, home, old_shard, enter, id_column, shift, mask);
END $function$
$sql$, 'HOME_SCHEMA', home_schema);

END $do$;
