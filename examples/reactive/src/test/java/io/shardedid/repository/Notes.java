package io.shardedid.repository;

import java.util.List;

import jakarta.data.repository.Delete;
import jakarta.data.repository.Find;
import jakarta.data.repository.Insert;
import jakarta.data.repository.Query;
import jakarta.data.repository.Repository;
import jakarta.data.repository.Save;
import jakarta.data.repository.Update;

@Repository
interface Notes {

    @Insert
    void insert(Note note);

    @Insert
    void insertAll(List<Note> notes);

    @Update
    void update(Note note);

    @Save
    void save(Note note);

    @Save
    void saveEach(Note[] notes);

    @Save
    void saveAll(List<Note> notes);

    @Delete
    void delete(Note note);

    @Delete
    void deleteAll(List<Note> notes);

    @Find
    Note find(long id);

    @Query("from Note where id between :first and :last order by id desc")
    List<Note> between(long first, long last);

}
