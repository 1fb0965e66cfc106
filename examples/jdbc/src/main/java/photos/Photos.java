package photos;

import java.util.List;

import org.springframework.data.repository.CrudRepository;

interface Photos extends CrudRepository<Photo, Long> {
    List<Photo> findByUserIdOrderByIdDesc(Long userId);   // newest first
}
