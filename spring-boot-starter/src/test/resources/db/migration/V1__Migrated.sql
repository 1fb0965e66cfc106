create table migrated (id bigint);
