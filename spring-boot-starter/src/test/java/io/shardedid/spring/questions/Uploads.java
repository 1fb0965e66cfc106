package io.shardedid.spring.questions;

import org.springframework.data.jpa.repository.JpaRepository;

interface Uploads extends JpaRepository<Upload, Long> {

}
