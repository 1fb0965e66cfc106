package photos;

import com.baomidou.mybatisplus.annotation.TableId;

/** A row without a shard key, whose id is a text by the default of MyBatis-Plus. */
public class Tag {

    @TableId
    public String id;

    public String name;

}
