package io.shardedid.spring.questions;

import io.shardedid.ShardedIds;

import org.springframework.stereotype.Service;

@Service
class UploadService {

    private final ShardedIds ids;

    private final Uploads uploads;

    UploadService(ShardedIds ids, Uploads uploads) {
        this.ids = ids;
        this.uploads = uploads;
    }

    Upload upload(Long userId) {
        Upload upload = new Upload(this.ids.nextFor(userId), userId);
        return this.uploads.save(upload);
    }

}
