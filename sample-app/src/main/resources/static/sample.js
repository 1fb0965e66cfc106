// What scripts add to pages that work without them: likes in place, live counts, endless scroll, keys.
"use strict";

(() => {
  const COUNTS_EVERY_MS = 2000;

  const show = (like) => {
    for (const form of document.querySelectorAll(`form[data-like="${like.photo}"]`)) {
      form.querySelector(".count").textContent = like.likes;
      form.querySelector("button").setAttribute("aria-pressed", String(like.liked));
    }
  };

  // Likes in place. A visitor without a name sends the form, and gets the page that says why a like needs one.
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-like]");
    if (!form || !document.querySelector(".who .me")) {
      return;
    }
    event.preventDefault();
    const button = form.querySelector("button");
    const method = button.getAttribute("aria-pressed") === "true" ? "DELETE" : "PUT";
    try {
      const answer = await fetch(`/api/photos/${form.dataset.like}/like`, { method });
      if (answer.ok) {
        show(await answer.json());
      } else {
        form.submit();
      }
    } catch {
      form.submit();
    }
  });

  // Live counts of what is on the page, while the page is visible.
  const seen = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      seen[entry.isIntersecting ? "add" : "delete"](entry.target.dataset.photo);
    }
  });
  const watch = (root) => root.querySelectorAll("[data-photo]").forEach((photo) => watcher.observe(photo));
  watch(document);
  setInterval(async () => {
    if (document.hidden || seen.size === 0) {
      return;
    }
    const query = [...seen].slice(0, 100).map((id) => `photo=${id}`).join("&");
    try {
      const answer = await fetch(`/api/likes?${query}`);
      if (answer.ok) {
        (await answer.json()).forEach(show);
      }
    } catch {
      // The server is away; the next round asks again.
    }
  }, COUNTS_EVERY_MS);

  // Endless scroll: the page behind "Older" is fetched when the link comes near, its cards are appended.
  const endless = (more) => {
    const near = new IntersectionObserver(async ([entry]) => {
      if (!entry.isIntersecting) {
        return;
      }
      near.disconnect();
      try {
        const answer = await fetch(more.querySelector("a").href);
        if (!answer.ok) {
          return;
        }
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const cards = [...page.querySelectorAll(".cards > *")].map((card) => document.adoptNode(card));
        document.querySelector(".cards").append(...cards);
        cards.forEach((card) => watcher.observe(card));
        const next = page.querySelector(".more");
        more.replaceWith(...(next ? [document.adoptNode(next)] : []));
        if (next) {
          endless(next);
        }
      } catch {
        // The link stays and can be clicked.
      }
    }, { rootMargin: "600px" });
    near.observe(more);
  };
  const more = document.querySelector(".more");
  if (more) {
    endless(more);
  }

  // Keys: j and k go from photo to photo, l likes, i reads the id. Enter opens, as on every link.
  document.getElementById("shortcuts")?.removeAttribute("hidden");
  let here = null;
  const go = (step) => {
    const cards = [...document.querySelectorAll(".card")];
    const next = cards[Math.min(Math.max(cards.indexOf(here) + step, 0), cards.length - 1)];
    if (next) {
      here?.classList.remove("here");
      here = next;
      here.classList.add("here");
      here.querySelector(".picture").focus({ preventScroll: true });
      here.scrollIntoView({ block: "center" });
    }
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) {
      return;
    }
    const target = here ?? document.querySelector(".single");
    if (event.key === "j" || event.key === "k") {
      go(event.key === "j" ? 1 : -1);
    } else if (event.key === "l") {
      target?.querySelector(".like button").click();
    } else if (event.key === "i") {
      target?.querySelector(".strip").click();
    }
  });
})();
