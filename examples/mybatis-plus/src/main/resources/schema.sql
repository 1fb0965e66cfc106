create table photo (id bigint primary key, user_id bigint not null, caption varchar(200));
create table tag (id varchar(20) primary key, name varchar(200));
