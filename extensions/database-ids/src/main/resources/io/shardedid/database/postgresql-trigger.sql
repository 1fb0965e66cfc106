CREATE OR REPLACE FUNCTION HOME_SCHEMA.${name}() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
${check}  NEW.${id} := HOME_SCHEMA.shardedid_next(${shard});
  RETURN NEW;
END $$;

-- Any other maker of ids would come first, and the trigger would never see a row without an id.
ALTER TABLE ${table} ALTER COLUMN ${id} DROP IDENTITY IF EXISTS, ALTER COLUMN ${id} DROP DEFAULT;

-- An id that is given is left alone.
CREATE OR REPLACE TRIGGER ${name} BEFORE INSERT ON ${table}
FOR EACH ROW WHEN (NEW.${id} IS NULL) EXECUTE FUNCTION ${schema}${name}();
