package photos;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.jackson.ObjectMapperCustomizer;
import io.shardedid.jackson.ShardedIdJackson2Module;
import jakarta.inject.Singleton;

@Singleton
public class IdsAsStrings implements ObjectMapperCustomizer {

    @Override
    public void customize(ObjectMapper mapper) {
        mapper.registerModule(new ShardedIdJackson2Module());
    }

}
