-- The tables of the profile 'two-databases', in each database. No foreign key leaves a shard: a photo has the shard of its
-- author, and a like has that of its photo, while the user who likes it may live in the other database.
create table app_user (
  id bigint primary key,
  name varchar(40) not null unique
);
create table photo (
  id bigint primary key,
  author_id bigint not null references app_user,
  caption varchar(200) not null,
  width integer not null,
  height integer not null
);
create index on photo (author_id, id);
create table photo_image (
  photo_id bigint primary key references photo,
  media_type varchar(20) not null,
  original bytea not null,
  thumbnail bytea not null
);
create table photo_like (
  id bigint primary key,
  photo_id bigint not null references photo,
  user_id bigint not null,
  unique (photo_id, user_id)
);
create table storm_sharded (
  id bigint primary key,
  author bigint not null,
  caption varchar(60) not null,
  width integer not null,
  height integer not null
);
-- By these the mover finds the rows of a shard.
create index on app_user (((id >> 12) & 2047), id);
create index on photo (((id >> 12) & 2047), id);
create index on photo_image (((photo_id >> 12) & 2047), photo_id);
create index on photo_like (((id >> 12) & 2047), id);
create index on storm_sharded (((id >> 12) & 2047), id);
