CREATE OR REPLACE FUNCTION ${schema}${name}() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
${check}  NEW.${id} := ${schema}shardedid_next(${shard});
  RETURN NEW;
END $$;

-- An id that is given is left alone.
CREATE OR REPLACE TRIGGER ${name} BEFORE INSERT ON ${table}
FOR EACH ROW WHEN (NEW.${id} IS NULL) EXECUTE FUNCTION ${schema}${name}();
