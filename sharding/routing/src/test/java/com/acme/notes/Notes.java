package com.acme.notes;

import java.util.UUID;

import org.springframework.data.jpa.repository.JpaRepository;

public interface Notes extends JpaRepository<Note, UUID> {

}
