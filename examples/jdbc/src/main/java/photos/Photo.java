package photos;

import org.springframework.data.annotation.Id;

record Photo(@Id Long id, Long userId, String caption) {
}
