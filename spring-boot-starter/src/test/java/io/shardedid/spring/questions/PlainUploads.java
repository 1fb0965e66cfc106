package io.shardedid.spring.questions;

import org.springframework.data.jpa.repository.JpaRepository;

interface PlainUploads extends JpaRepository<PlainUpload, Long> {

}
