package photos;

import java.util.List;

import io.shardedid.routing.ShardKey;

import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;

interface Photos extends JpaRepository<Photo, Long> {

    List<Photo> findByUserIdOrderByIdDesc(long userId);

    @Query("from Photo p where p.userId = :user and p.caption like :text")
    List<Photo> search(@ShardKey long user, String text);

    List<Photo> findTop20ByOrderByIdDesc();

}
