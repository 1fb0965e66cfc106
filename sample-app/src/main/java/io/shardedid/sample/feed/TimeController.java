package io.shardedid.sample.feed;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

import io.shardedid.IdWindow;
import io.shardedid.ShardedIds;
import io.shardedid.sample.user.Visitor;
import org.jspecify.annotations.Nullable;

import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.format.annotation.DateTimeFormat.ISO;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.SessionAttribute;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * The page of the photos of a time window, found by id range alone. Times are UTC, as in
 * the ids.
 */
@Controller
class TimeController {

    /** One more than a page holds shows whether there are older ones. */
    private static final int ROWS = Feed.PAGE + 1;

    private final Feed feed;

    private final ShardedIds ids;

    private final JdbcTemplate sql;

    TimeController(Feed feed, ShardedIds ids, JdbcTemplate sql) {
        this.feed = feed;
        this.ids = ids;
        this.sql = sql;
    }

    @GetMapping("/time")
    String window(@RequestParam(required = false) @DateTimeFormat(iso = ISO.DATE) @Nullable LocalDate day,
            @RequestParam(required = false) @DateTimeFormat(iso = ISO.DATE_TIME) @Nullable LocalDateTime from,
            @RequestParam(required = false) @DateTimeFormat(iso = ISO.DATE_TIME) @Nullable LocalDateTime to,
            @RequestParam(required = false) @Nullable Long before,
            @SessionAttribute(name = Visitor.ATTRIBUTE, required = false) @Nullable Visitor visitor, Model model) {
        Instant now = this.ids.clock().instant();
        LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
        TimeSpan span = (from == null && to == null) ? TimeSpan.day((day != null) ? day : today)
                : TimeSpan.between(from, to);
        IdWindow window = span.ids(this.ids.layout());
        FeedPage page = this.feed.newestWithin(window, before, Feed.PAGE, visitor);
        model.addAttribute("window", window);
        model.addAttribute("rows", ROWS);
        model.addAttribute("plan", plan(window));
        model.addAttribute("day", (from != null) ? null : (day != null) ? day : today);
        model.addAttribute("span", span);
        model.addAttribute("today", today);
        model.addAttribute("hourAgo", LocalDateTime.ofInstant(now.minus(1, ChronoUnit.HOURS), ZoneOffset.UTC)
            .truncatedTo(ChronoUnit.MINUTES));
        model.addAttribute("soon", LocalDateTime.ofInstant(now.plus(1, ChronoUnit.MINUTES), ZoneOffset.UTC)
            .truncatedTo(ChronoUnit.MINUTES));
        model.addAttribute("page", page);
        model.addAttribute("older", (page.older() != null) ? older(day, from, to, page.older()) : null);
        return "time";
    }

    /** Returns the plan of the database for the part of the query that finds photos. */
    private String plan(IdWindow window) {
        String query = "explain select id, caption from photo where id between %s and %s order by id desc fetch first %s rows only"
            .formatted(window.firstId(), window.lastId(), ROWS);
        return String.join("\n", this.sql.queryForList(query, String.class));
    }

    private static String older(@Nullable LocalDate day, @Nullable LocalDateTime from, @Nullable LocalDateTime to,
            Long before) {
        UriComponentsBuilder url = UriComponentsBuilder.fromPath("/time");
        if (from != null) {
            url.queryParam("from", from).queryParam("to", to);
        }
        else if (day != null) {
            url.queryParam("day", day);
        }
        return url.queryParam("before", before).toUriString();
    }

}
