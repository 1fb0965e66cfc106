package photos

import org.springframework.data.jpa.repository.JpaRepository

interface Photos : JpaRepository<Photo, Long> {
    fun findByUserIdOrderByIdDesc(userId: Long): List<Photo>   // newest first
}
