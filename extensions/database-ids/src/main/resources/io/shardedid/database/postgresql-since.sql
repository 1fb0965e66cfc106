-- Of a counter that was there already, too; it goes on from where it is.
ALTER SEQUENCE HOME_SCHEMA.shardedid_cell START WITH ${firstCell};
