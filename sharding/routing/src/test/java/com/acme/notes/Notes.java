package com.acme.notes;

import java.util.List;
import java.util.UUID;

import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;

public interface Notes extends JpaRepository<Note, UUID> {

    @Query("select n from Note n where n.id = :id or n.text = :text")
    List<Note> either(UUID id, String text);

}
