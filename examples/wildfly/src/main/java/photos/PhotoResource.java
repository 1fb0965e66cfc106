package photos;

import java.util.List;

import jakarta.enterprise.context.RequestScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;

@Path("photos")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class PhotoResource {

    @PersistenceContext
    EntityManager photos;

    @POST
    @Transactional
    public Photo add(@QueryParam("user") long userId) {
        Photo photo = new Photo();
        photo.userId = userId;
        this.photos.persist(photo);
        return photo;
    }

    @GET
    @Path("{shard}")
    public List<Photo> ofShard(@PathParam("shard") int shard) {
        return this.photos
            .createQuery("select p from Photo p where function('shard_of', p.id) = :shard order by p.id desc",
                    Photo.class)
            .setParameter("shard", shard)
            .getResultList();
    }

}
