package photos;

import java.util.List;

import org.springframework.data.repository.Repository;

/** A projection, which Spring Data makes by a proxy. */
interface Captions extends Repository<Photo, Long> {

    List<Row> findByCaption(String caption);

    interface Row {

        Long getId();

        String getCaption();

    }

}
