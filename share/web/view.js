/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of a host: tables and the map's frame. */

const KEY_COLUMNS = [
  ["ops", "ops/s", (row) => row.ops / row.seconds, short],
  ["bytes", "MB/s", (row) => row.bytes / row.seconds / 1e6, short],
  ["p50", "p50", (row) => row.p50 ?? percentile(row.counts, 0.5), latency],
  ["p99", "p99", (row) => row.p99 ?? percentile(row.counts, 0.99), latency],
  ["max", "max", (row) => row.max ?? highest(row.counts), latency],
  ["errors", "errors", (row) => row.errors, short],
  ["avg", "avg", (row) => row.avg_latency ?? row.latency_sum / 1e3 / sum([...row.counts.values()]), latency],
  ["p90", "p90", (row) => row.p90 ?? percentile(row.counts, 0.9), latency],
  ["p999", "p99.9", (row) => row.p999 ?? percentile(row.counts, 0.999), latency],
  ["inflight", "under way", (row) => row.inflight, short],
  ["oldest", "oldest", (row) => row.oldest, latency],
];

class View {
  constructor(spec) {
    this.spec = spec;
    this.root = $("host").content.firstElementChild.cloneNode(true);
    this.at = null; // the cell under the pointer
    $("main").append(this.root);
    const plot = this.find(".plot");

    plot.addEventListener("pointermove", (event) => this.point(event.offsetX, event.offsetY));
    plot.addEventListener("pointerleave", () => this.point(null));
    plot.addEventListener("keydown", (event) => this.key(event));
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(plot);
    this.find(".data").hidden = true;
  }

  remove() {
    this.resized.disconnect();
    this.root.remove();
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  name(text) {
    this.hostname = text;
    this.find("h2").textContent = text;
    if (this.spec && this.spec !== text) this.find("h2").append(element("span", ` ${this.spec}`, "muted small"));
    this.root.setAttribute("aria-label", text);
  }

  /* Show the host's state in words. The same words are not announced twice. */
  say(tone, text) {
    const p = this.find(".state");

    if (p.textContent !== text) p.textContent = text;
    p.className = `state small ${tone}`;
  }

  show(source, sample) {
    this.source = source;
    if (sample) this.showModules(sample.values, (instance) => sample.name("estat.module.status", instance));
    else this.root.querySelectorAll(".modules, .lost, details").forEach((e) => (e.hidden = true));
    this.find(".data").hidden = !source.latest().size;
    if (document.hidden || paused) return;
    this.redraw();
  }

  redraw() {
    if (!this.source) return;
    this.showHangs();
    this.showLayers();
    this.showKeys();
    this.showLast();
    this.draw();
    offerFilters();
  }

  showModules(values, name) {
    const of = (leaf, instance) => values.get("estat.module." + leaf)?.get(instance);
    const modules = [...values.get("estat.module.status").keys()].map((instance) => ({
      name: name(instance),
      status: String(of("status", instance)),
      why: of("error", instance) || "",
      missed: of("missed", instance) || 0,
      dropped: of("dropped", instance) || 0,
    }));
    const named = (status) => modules.filter((m) => m.status === status).map((m) => m.name);
    const lost = (leaf) => sum(modules.map((m) => m[leaf]));
    const states = [...new Set(["running", ...modules.map((m) => m.status)])];
    const p = this.find(".modules");

    p.replaceChildren(element("span", "Modules: ", "muted"));
    for (const [i, status] of states.entries()) {
      const tone = isBad(status) ? "bad" : status === "running" ? "good" : "muted";
      const which = status === "running" ? "" : ` (${named(status).join(", ")})`;

      p.append(
        i ? ", " : "",
        element("span", `${isBad(status) ? "✕ " : ""}${named(status).length} ${status}${which}`, tone),
      );
    }
    const any = lost("missed") + lost("dropped");
    this.find(".lost").textContent = `${any ? "▲ " : ""}Events missed: ${lost("missed")}, dropped: ${lost("dropped")}`;
    this.find(".lost").className = "lost " + (any ? "bad" : "muted");
    this.find(".module-rows").replaceChildren(...modules.map(moduleRow));
  }

  showHangs() {
    const hanging = [...this.source.latest()].filter(([, row]) => row.oldest > HANGS);
    const texts = hanging.map(([name, row]) => `${name}: ${underWay(row)}`);
    const p = this.find(".hangs");
    const text = texts.length ? `✕ hangs: ${texts.join("; ")}` : "";

    p.hidden = !text;
    if (p.textContent !== text) p.textContent = text;
  }

  showLayers() {
    const latest = this.source.latest();
    const layers = [...this.source.layers.values()].filter(
      (layer) => latest.has(layer.name) || this.source.offers?.(layer.name),
    );
    const isShown = (layer) => layer.name === state.layer || latest.get(layer.name)?.worked;
    const others = layers.filter((layer) => !isShown(layer));
    const rows = layers
      .filter(isShown)
      .map((layer) => layerRow(layer, this.source.twice?.(layer.name), latest.get(layer.name)));

    if (others.length) rows.push(otherRow(others, (layer) => latest.has(layer.name)));
    refill(this.find(".layer-rows"), rows);
  }

  showKeys() {
    const rows = [...this.source.rows().values()].filter((row) =>
      [...state.where].every(([axis, value]) => passes(row.axes, axis, value)),
    );
    const axes = [...new Set(rows.flatMap((row) => row.axes.map(([axis]) => axis)))];
    const column = KEY_COLUMNS.find(([leaf]) => leaf === state.sort);
    const text = (row, axis) => new Map(row.axes).get(axis) ?? "";

    rows.sort((a, b) =>
      column
        ? (column[2](b) || 0) - (column[2](a) || 0)
        : text(a, state.sort).localeCompare(text(b, state.sort), "en", { numeric: true }),
    );
    this.find(".keys-title").textContent = axes.length ? `${state.layer} by ${axes.join(", ")}` : `${state.layer} by key`;
    refill(this.find(".keys thead"), [keyHead(axes)]);
    refill(
      this.find(".key-rows"),
      rows.slice(0, ROWS).map((row) => keyRow(row, axes)),
    );
    this.find(".more").textContent =
      (rows.length > ROWS ? `${rows.length - ROWS} more. ` : "") +
      (rows.length
        ? `${this.source instanceof Past ? "Over the whole window." : "In the last interval."} Choose a name to see it alone.`
        : "Nothing was recorded by key.");
  }

  showLast() {
    const { columns, rows } = this.source.last?.() || { columns: [], rows: [] };

    this.find(".last").hidden = !rows.length;
    this.find(".last h3").textContent = `The last ${rows.length} records of ${state.layer}`;
    this.find(".last thead").replaceChildren(textRow("th", columns));
    this.find(".last tbody").replaceChildren(...rows.map((row) => textRow("td", row)));
  }

  /* ---- The heat map ---- */

  draw() {
    const canvas = this.find("canvas");
    const box = canvas.getBoundingClientRect();
    const scale = devicePixelRatio || 1;

    if (!this.source || !box.width || document.hidden) return;
    if (canvas.width !== Math.round(box.width * scale) || canvas.height !== Math.round(box.height * scale)) {
      canvas.width = Math.round(box.width * scale);
      canvas.height = Math.round(box.height * scale);
    }
    this.map = new HeatMap(
      this.source.periods(),
      paused ? paused.ranges.get(this) || this.source.range() : this.source.range(),
      box.width,
      box.height,
    );
    /* Hosts side by side have the same scales. */
    for (const { map } of views) if (map) this.map.include(map);
    const context = canvas.getContext("2d");

    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.map.draw(context, this.at);
    this.describe();
  }

  describe() {
    const chosen = [...state.where].map(([axis, value]) => `, ${axis} ${value}`).join("");
    const map = this.map;
    const title = `${state.layer}${chosen}: latency over time`;
    const help = this.source.layers.get(state.layer)?.help || "";
    const text = map.count
      ? `${map.count.toLocaleString("en")} operations in this window; highest p99 ${latency(map.worst("p99"))}, highest of all ${latency(map.worst("max"))}`
      : this.source.latest().has(state.layer)
        ? "No operation in this window."
        : `${state.layer} is not measured here.`;

    this.find(".heat-title").textContent = title;
    this.find(".help").textContent = /^.*?\.\s+(.*?\.)(?=\s|$)/s.exec(help)?.[1].replace(/\s+/g, " ") ?? "";
    this.find("canvas").setAttribute("aria-label", `Heat map of ${title}. ${text}`);
    this.find(".plot").setAttribute("aria-label", `Heat map of ${title}; arrow keys point at a cell`);
    this.find(".summary").textContent = text;
    this.find(".summary").dataset.count = map.count;
    refill(this.find(".legend"), map.legend());
    this.find(".readout").textContent = this.at ? map.read(this.at) : "";
  }

  point(x, y) {
    this.at = x === null || !this.map ? null : this.map.cellAt(x, y);
    this.draw();
  }

  key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];

    if (!this.map) return;
    if (event.key === "Escape") this.at = null;
    else if (step) this.at = this.map.moved(this.at, ...step);
    else return;
    event.preventDefault();
    this.draw();
  }
}

/*
 * Replace rows. The focus stays: the new element in the place of the focused one gets it.
 */
function refill(parent, children) {
  const focused = parent.contains(document.activeElement) ? document.activeElement.dataset.id : null;

  parent.replaceChildren(...children);
  if (focused) [...parent.querySelectorAll("[data-id]")].find((e) => e.dataset.id === focused)?.focus();
}

function linkButton(text, id, act) {
  const button = element("button", text, "link");

  button.type = "button";
  button.dataset.id = id;
  button.addEventListener("click", act);
  return button;
}

function textRow(tag, texts) {
  const tr = element("tr");

  tr.append(...texts.map((text) => element(tag, text, "text")));
  return tr;
}

const isBad = (status) => status === "failed" || status === "blind";

function moduleRow(module) {
  const row = element("tr");
  const tone = isBad(module.status) ? " bad" : "";

  row.append(
    element("td", module.name, "text"),
    element("td", module.status, "text" + tone),
    element("td", String(module.missed), module.missed ? "bad" : ""),
    element("td", String(module.dropped), module.dropped ? "bad" : ""),
    element("td", module.why, "text"),
  );
  return row;
}

function numberCell(value, show) {
  const cell = element("td", show(value));

  cell.setAttribute("role", "cell");
  if (Number.isFinite(value)) cell.dataset.value = value;
  return cell;
}

const underWay = (row) => `${short(row.inflight)} under way, the oldest for ${latency(row.oldest)}`;

function layerButton(layer) {
  return linkButton(layer.name, layer.name, () => choose({ layer: layer.name, where: new Map() }));
}

/*
 * A layer without a row has no figures: the page does not fetch the layer, or fetched it only once. `twice`:
 * the disks whose operations the row has twice.
 */
function layerRow(layer, twice, row = { counts: new Map() }) {
  const tr = element("tr", "", (layer.name === state.layer ? "chosen" : "") + (layer.further ? " further" : ""));
  const name = element("th", "", "text name");
  const percentiles = ["p50", "p99", "max"].map(
    (leaf, i) => row[leaf] ?? (i < 2 ? percentile(row.counts, [0.5, 0.99][i]) : highest(row.counts)),
  );
  const bar = element("td", "", "bar");

  tr.setAttribute("role", "row");
  tr.dataset.layer = layer.name;
  name.scope = "row";
  name.setAttribute("role", "rowheader");
  name.append(layerButton(layer));
  if (layer.name === state.layer) name.firstChild.setAttribute("aria-current", "true");
  if (!row.seconds) name.append(element("span", " attached on demand", "muted small"));
  if (twice) name.append(element("span", ` with ${twice} twice`, "muted small"));
  if (row.errors > 0) name.append(element("span", ` ✕ ${short(row.errors)} failed`, "bad small"));
  if (row.oldest > HANGS) name.append(element("span", ` ✕ ${underWay(row)}`, "bad small"));
  bar.setAttribute("role", "cell");
  bar.append(range(percentiles));
  tr.append(
    name,
    numberCell(row.ops / row.seconds, short),
    numberCell(row.bytes / row.seconds / 1e6, short),
    ...percentiles.map((p) => numberCell(p, latency)),
    bar,
  );
  return tr;
}

/* One row for all layers without figures, or without operations, since the page was opened: a button for each. */
function otherRow(layers, isIdle) {
  const tr = element("tr", "", "others");
  const names = element("th", "", "text");

  tr.setAttribute("role", "row");
  names.scope = "row";
  names.colSpan = 7;
  names.setAttribute("role", "rowheader");
  for (const [text, those] of [
    ["idle: ", layers.filter(isIdle)],
    ["attached on demand: ", layers.filter((layer) => !isIdle(layer))],
  ]) {
    if (!those.length) continue;
    names.append(element("span", (names.firstChild ? "; " : "") + text, "muted small"));
    for (const [i, layer] of those.entries()) names.append(i ? ", " : "", layerButton(layer));
  }
  tr.append(names);
  return tr;
}

/* A bar from p50 to p99 and a line at the maximum, on a scale from 1 µs to 10 s. */
function range([p50, p99, max]) {
  const box = element("div", "", "range");
  const at = (us) => Math.min(Math.max(Math.log10(us) / 7, 0), 1) * 100;

  if (!(p50 > 0)) return box;
  box.append(element("i"), element("b"));
  box.firstChild.style.left = at(p50) + "%";
  box.firstChild.style.width = Math.max(0, at(p99) - at(p50)) + "%";
  box.lastChild.style.left = `calc(${at(max)}% - 1px)`;
  box.title = `p50 ${latency(p50)}, p99 ${latency(p99)}, max ${latency(max)}`;
  return box;
}

function keyHead(axes) {
  const tr = element("tr");
  const columns = [...axes.map((axis) => [axis, axis]), ...KEY_COLUMNS];

  for (const [id, title] of columns) {
    const th = element("th", "", axes.includes(id) ? "text" : "");

    th.scope = "col";
    th.append(linkButton(title, "sort " + id, () => choose({ sort: id })));
    if (id === state.sort) th.setAttribute("aria-sort", axes.includes(id) ? "ascending" : "descending");
    tr.append(th);
  }
  return tr;
}

function keyRow(row, axes) {
  const tr = element("tr");
  const values = new Map(row.axes);

  for (const axis of axes) {
    const td = element("td", "", "text");
    const value = values.get(axis);

    if (value !== undefined)
      td.append(
        linkButton(value, `${axis} ${row.axes.map((a) => a[1]).join("::")}`, () =>
          filter(axis, state.where.get(axis) === value ? "" : value),
        ),
      );
    tr.append(td);
  }
  for (const [, , value, show] of KEY_COLUMNS) tr.append(numberCell(value(row), show));
  return tr;
}

const passes = (axes, axis, value) => axes.some(([a, v]) => a === axis && v === value);
