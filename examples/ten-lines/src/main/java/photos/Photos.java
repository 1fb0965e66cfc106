package photos;

import java.util.List;

import org.springframework.data.jpa.repository.JpaRepository;

interface Photos extends JpaRepository<Photo, Long> {
    List<Photo> findByUserIdOrderByIdDesc(Long userId);   // newest first
}
