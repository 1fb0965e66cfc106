--liquibase formatted sql

--changeset photos:1
create table migrated (id int primary key);
insert into migrated values (1);
