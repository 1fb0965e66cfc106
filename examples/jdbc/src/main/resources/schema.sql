create table photo (id bigint primary key, user_id bigint not null, caption varchar(200));
