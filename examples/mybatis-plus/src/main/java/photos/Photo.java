package photos;

import com.baomidou.mybatisplus.annotation.IdType;
import com.baomidou.mybatisplus.annotation.TableId;

public class Photo {

    @TableId(type = IdType.ASSIGN_ID)
    public Long id;

    public Long userId;

    public String caption;

}
