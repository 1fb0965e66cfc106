package io.shardedid.spring.feed;

import java.util.List;
import java.util.Optional;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.Pageable;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** Projections of each kind that Spring Data knows. */
public interface PhotoViews extends Repository<Photo, Long> {

    List<Flat> findByCaption(String caption);

    Optional<WithAuthor> findFirstByCaption(String caption);

    List<PhotoRecord> findRecordByCaption(String caption);

    Page<PagedRecord> findPageByCaption(String caption, Pageable page);

    <T> List<T> findDynamicByCaption(String caption, Class<T> type);

    @Query("select new io.shardedid.spring.feed.PhotoViews$Constructed(p.id, p.author.id, length(p.caption)) "
            + "from Photo p where p.caption = :caption")
    List<Constructed> construct(String caption);

    @Query("select new io.shardedid.spring.feed.PhotoViews$Renamed(p.id) from Photo p where p.caption = :caption")
    List<Renamed> rename(String caption);

    @Query(value = "select p.id as \"photoNumber\" from photo p where p.caption = :caption", nativeQuery = true)
    List<Aliased> alias(String caption);

    List<Open> findOpenByCaption(String caption);

    /** A flattened path beside the id. */
    interface Flat {

        Long getId();

        Long getAuthorId();

        String getCaption();

    }

    interface WithAuthor {

        Nested getAuthor();

        interface Nested {

            Long getId();

        }

    }

    record PhotoRecord(long id, Long authorId, String caption) {
    }

    record PagedRecord(long id) {
    }

    /** Only named in a call. */
    interface DynamicView {

        long getId();

    }

    /** Only named in a call. */
    record DynamicRecord(Long authorId) {
    }

    record Constructed(Long id, Long authorId, int characters) {
    }

    /** No attribute has this name. */
    record Renamed(Long photo) {
    }

    /** No attribute has this name. */
    interface Aliased {

        Long getPhotoNumber();

    }

    interface Open {

        @Value("#{target.id}")
        Long getNumber();

    }

}
