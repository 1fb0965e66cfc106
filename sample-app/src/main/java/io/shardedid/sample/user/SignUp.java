package io.shardedid.sample.user;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Service;

/**
 * Signing up and signing in, which are one here: a name is all it takes, and who types a
 * name that is taken becomes that user. A sample has no passwords.
 */
@Service
public class SignUp {

    private final Users users;

    SignUp(Users users) {
        this.users = users;
    }

    User as(String name, HttpServletRequest request) {
        User user = named(name);
        request.getSession();
        // A session id that an attacker planted before the sign-up must not survive it.
        request.changeSessionId();
        request.getSession().setAttribute(Visitor.ATTRIBUTE, new Visitor(user.getId(), user.getName()));
        return user;
    }

    /**
     * Returns the user of this name, who is a new one if the name is free.
     * @param name the name
     * @return the user
     */
    public User named(String name) {
        return this.users.findByName(name).orElseGet(() -> created(name));
    }

    private User created(String name) {
        try {
            return this.users.save(new User(name));
        }
        catch (DataIntegrityViolationException taken) {
            // Another user took the name a moment ago.
            return this.users.findByName(name).orElseThrow(() -> taken);
        }
    }

}
