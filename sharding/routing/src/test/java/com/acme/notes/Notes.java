package com.acme.notes;

import java.util.List;
import java.util.UUID;

import org.springframework.data.jpa.repository.JpaRepository;

public interface Notes extends JpaRepository<Note, UUID> {

    List<Note> findByIdOrText(UUID id, String text);

}
