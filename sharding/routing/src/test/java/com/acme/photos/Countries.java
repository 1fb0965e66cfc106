package com.acme.photos;

import org.springframework.data.jpa.repository.JpaRepository;

public interface Countries extends JpaRepository<Country, String> {

}
