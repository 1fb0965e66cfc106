// Moves the dashboard: asks the actuator every second and draws the latest three quarters of a minute.
"use strict";

(() => {
  const EVERY_MS = 1000;
  const KEPT = 45;
  const WIDTH = 300;
  const HEIGHT = 80;

  const number = (value) => value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) < 100 ? 1 : 0 });

  const json = async (path) => {
    const answer = await fetch(path);
    if (!answer.ok) {
      throw new Error(`${path}: ${answer.status}`);
    }
    return answer.json();
  };

  const meter = async (name) => (await json(`/actuator/metrics/${name}`)).measurements[0].value;

  const top = (values) => {
    const most = Math.max(...values, 0);
    if (most === 0) {
      return 1;
    }
    const power = 10 ** Math.floor(Math.log10(most));
    return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= most);
  };

  class Plot {
    constructor(section) {
      this.name = section.dataset.plot;
      this.rate = section.dataset.rate === "true";
      this.scale = Number(section.dataset.scale ?? 1);
      this.unit = section.dataset.unit;
      this.now = section.querySelector(".now");
      this.top = section.querySelector(".top-value");
      this.line = section.querySelector(".line");
      this.area = section.querySelector(".area");
      this.values = [];
      this.last = null;
    }

    add(value, at) {
      const before = this.last;
      this.last = { value, at };
      if (this.rate && !before) {
        return;
      }
      const sample = this.rate ? Math.max(0, value - before.value) * 1000 / (at - before.at) : value * this.scale;
      // One value is a point, which nobody sees: the first one is drawn as a short line.
      this.values.push(...(this.values.length === 0 ? [sample, sample] : [sample]));
      this.values.splice(0, this.values.length - KEPT);
      this.draw();
    }

    draw() {
      const most = top(this.values);
      const step = WIDTH / (KEPT - 1);
      const points = this.values.map((value, i) => `${(i * step).toFixed(1)} ${(HEIGHT * (1 - value / most)).toFixed(1)}`);
      const end = ((this.values.length - 1) * step).toFixed(1);
      this.line.setAttribute("d", `M${points.join("L")}`);
      this.area.setAttribute("d", `M0 ${HEIGHT}L${points.join("L")}L${end} ${HEIGHT}Z`);
      this.now.textContent = `${number(this.values.at(-1))} ${this.unit}`;
      this.top.textContent = `top ${number(most)}`;
    }
  }

  const plots = [...document.querySelectorAll("[data-plot]")].map((section) => new Plot(section));
  const cells = [...document.querySelectorAll("[data-meter]")];
  const status = document.getElementById("status");

  const row = (worker) => {
    const line = document.createElement("tr");
    line.className = worker.mine ? "mine" : "";
    const texts = [worker.workerId, worker.mine ? "this process" : worker.state.replace("-", " "),
      worker.owner || "nobody", `${worker.acquisitions}×`];
    texts.forEach((text, i) => {
      const cell = line.appendChild(document.createElement(i === 0 ? "th" : "td"));
      cell.textContent = text;
      if (i === 0) {
        cell.scope = "row";
      }
    });
    return line;
  };

  const item = (event) => {
    const line = document.createElement("li");
    const time = line.appendChild(document.createElement("time"));
    time.dateTime = event.at;
    time.textContent = event.at.slice(11, 19);
    line.append(` ${event.text}${event.times > 1 ? ` (${event.times} times)` : ""}`);
    return line;
  };

  // Asks again only after an answer: a database that is stopped gets no queue of questions.
  const every = (ms, round) => {
    const go = async () => {
      if (!document.hidden) {
        try {
          await round();
          status.textContent = "";
        } catch {
          status.textContent = "This process or its database does not answer just now; asking again.";
        }
      }
      setTimeout(go, ms);
    };
    go();
  };

  every(EVERY_MS, async () => {
    const values = new Map(await Promise.all(cells.map(async (cell) =>
      [cell.dataset.meter, await meter(cell.dataset.meter)])));
    const at = performance.now();
    plots.forEach((plot) => plot.add(values.get(plot.name), at));
    for (const cell of cells) {
      const value = values.get(cell.dataset.meter);
      cell.textContent = cell.textContent.endsWith(" s") ? `${value.toFixed(3)} s` : value.toLocaleString("en");
    }
  });

  every(EVERY_MS, async () => {
    const events = await json("/api/dashboard/events");
    document.getElementById("events").replaceChildren(...events.map(item));
  });

  every(2 * EVERY_MS, async () => {
    const workers = await json("/api/dashboard/workers");
    if (workers.length > 0) {
      document.getElementById("workers").replaceChildren(...workers.map(row));
    }
  });

  every(2 * EVERY_MS, async () => {
    const shards = await json("/api/dashboard/shards");
    const most = Math.max(...shards.bins, 1);
    document.querySelectorAll("#shards rect").forEach((bar, i) => {
      const height = shards.bins[i] * 100 / most;
      bar.setAttribute("y", 100 - height);
      bar.setAttribute("height", height);
    });
    const total = shards.bins.reduce((a, b) => a + b, 0);
    document.getElementById("shards-most").textContent = most.toLocaleString("en");
    document.getElementById("shards-total").textContent = total.toLocaleString("en");
    document.getElementById("shards-used").textContent = shards.bins.filter((rows) => rows > 0).length;
  });
})();
