-- The last tick and sequence that were given out, one counter for all shards and tables of this schema.
EXECUTE format('CREATE SEQUENCE IF NOT EXISTS %s.shardedid_cell AS bigint MINVALUE 0 START ${firstCell} CACHE 1', home_schema);
-- Its comment names the layout. Another layout would read another time off the same counter, and its ids may equal old ones.
DECLARE
  counter CONSTANT text := home_schema || '.shardedid_cell';
  found CONSTANT text := obj_description(counter::regclass, 'pg_class');
  layout CONSTANT text := '${fingerprint}';
  cell CONSTANT bigint := pg_sequence_last_value(counter::regclass);
  now_cell CONSTANT bigint := (((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - ${epochMicros}) / ${tickMicros}) << ${sequenceBits};
BEGIN
  IF found LIKE 'Layout: %' THEN
    IF found <> 'Layout: ' || layout THEN
      RAISE EXCEPTION 'Could not create the functions of ids: the counter has another layout: counter=%, its layout=''%'', layout of the script=''%'' (ids of two layouts may be equal); keep the layout. If no id of the old layout is left, run "ALTER SEQUENCE % RESTART; COMMENT ON SEQUENCE % IS NULL", and then the script',
        counter, substr(found, 9), layout, counter, counter
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
  ELSIF cell - now_cell >= ${cellsTooFar} THEN
    RAISE EXCEPTION 'Could not create the functions of ids: the counter does not fit the layout: counter=%, value=%, value by the clock=%, layout of the script=''%'' (another layout has made it, or it was set by hand, or the clock was set back); run the script of the layout that made it. If no id of another layout is left and the clock is right, run "ALTER SEQUENCE % RESTART", and then the script',
      counter, cell, now_cell, layout, counter
      USING ERRCODE = 'object_not_in_prerequisite_state';
  ELSE
    EXECUTE format('COMMENT ON SEQUENCE %s IS %L', counter, 'Layout: ' || layout);
  END IF;
END;
