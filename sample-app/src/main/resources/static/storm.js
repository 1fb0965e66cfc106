// Moves the bars of a storm while it runs.
"use strict";

(() => {
  const EVERY_MS = 200;
  const laps = document.getElementById("laps");
  const number = (value) => value.toLocaleString("en");

  const show = (storm) => {
    const fastest = Math.max(1, ...storm.laps.map((lap) => lap.rowsPerSecond));
    const bars = document.querySelectorAll("#bars tr");
    document.querySelectorAll(".lap").forEach((card, i) => {
      const lap = storm.laps[i];
      card.className = `lap ${lap.state}`;
      const progress = card.querySelector("progress");
      progress.max = lap.rows;
      progress.value = lap.inserted;
      card.querySelector(".inserted").textContent = number(lap.inserted);
      card.querySelector(".seconds").textContent = (lap.millis / 1000).toFixed(1);
      card.querySelector(".duplicates").textContent = lap.duplicates ?? "–";
      bars[i].querySelector("rect").setAttribute("width", storm.comparable ? lap.rowsPerSecond * 100 / fastest : 0);
      bars[i].querySelector(".rate").textContent = lap.rowsPerSecond > 0 ? number(lap.rowsPerSecond) : "–";
    });
    document.getElementById("start").disabled = storm.running;
    document.querySelector(".cancel").hidden = !storm.running;
    document.getElementById("warming").hidden = storm.laps.some((lap) => lap.state !== "waiting");
    document.getElementById("incomparable").hidden = storm.message === null || storm.comparable;
    document.getElementById("verdict").textContent = storm.message ?? "";
  };

  const round = async () => {
    let running = true;
    try {
      const answer = await fetch("/api/storm");
      if (answer.ok) {
        const storm = await answer.json();
        show(storm);
        running = storm.running;
      }
    } catch {
      // The server is away; the next round asks again.
    }
    if (running) {
      setTimeout(round, EVERY_MS);
    }
  };
  if (laps.dataset.running === "true") {
    round();
  }
})();
