--liquibase formatted sql
--changeset test:1
create table photo (id bigint primary key, user_id bigint not null, caption varchar(255));
create table comment (id bigint primary key, photo_id bigint not null, text varchar(255));
create table country (code varchar(255) primary key, name varchar(255));
