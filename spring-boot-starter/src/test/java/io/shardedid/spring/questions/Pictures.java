package io.shardedid.spring.questions;

import org.springframework.data.jpa.repository.JpaRepository;

interface Pictures extends JpaRepository<Picture, Long> {

}
