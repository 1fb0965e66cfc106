package photos;

import java.util.List;

import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;

public interface Photos extends JpaRepository<Photo, Long> {

    List<Photo> findByUserId(long userId);

    List<Photo> findTop5ByIdLessThanOrderByIdDesc(long id);

    @Query("select p from Comment c join c.photo p where p.id in :ids")
    List<Photo> commented(List<Long> ids);

}
