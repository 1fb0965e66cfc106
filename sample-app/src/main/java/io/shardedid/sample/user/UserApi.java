package io.shardedid.sample.user;

import java.net.URI;
import java.util.Objects;

import io.shardedid.ShardedIds;
import io.shardedid.jackson.JsonShardedId;
import io.shardedid.sample.problem.Problems;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Valid;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Users as JSON.
 */
@RestController
@RequestMapping("/api/users")
class UserApi {

    private final Users users;

    private final SignUp signUp;

    private final ShardedIds ids;

    UserApi(Users users, SignUp signUp, ShardedIds ids) {
        this.users = users;
        this.signUp = signUp;
        this.ids = ids;
    }

    @GetMapping("/{id}")
    UserView user(@PathVariable @JsonShardedId long id) {
        return this.users.findById(id)
            .map((user) -> UserView.of(user, this.ids.layout()))
            .orElseThrow(() -> Problems.unknown("user", id));
    }

    @PostMapping
    ResponseEntity<UserView> signUp(@Valid @RequestBody SignUpForm form, HttpServletRequest request) {
        User user = this.signUp.as(Objects.requireNonNull(form.name()), request);
        return ResponseEntity.created(URI.create("/api/users/" + user.getId()))
            .body(UserView.of(user, this.ids.layout()));
    }

}
