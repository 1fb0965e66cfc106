package photos;

import jakarta.persistence.EntityManager;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

@Path("photos")
public class PhotoResource {

    private final EntityManager entities;

    PhotoResource(EntityManager entities) {
        this.entities = entities;
    }

    @GET
    @Path("{id}")
    public Photo photo(@PathParam("id") long id) {
        return this.entities.find(Photo.class, id);
    }

}
