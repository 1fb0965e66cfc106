insert into author (id) values (1);
