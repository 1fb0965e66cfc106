package photos;

import com.baomidou.mybatisplus.core.incrementer.IdentifierGenerator;
import io.shardedid.ShardedIds;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class PhotoIds {

    @Bean
    IdentifierGenerator identifierGenerator(ShardedIds ids) {
        return (row) -> (row instanceof Photo photo) ? ids.nextFor(photo.userId) : ids.next();
    }

}
