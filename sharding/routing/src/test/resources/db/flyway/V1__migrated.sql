create table migrated (id int primary key);
insert into migrated values (1);
