/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page: its controls, and the views of its hosts. */

let views = [];
let paused = null;

/* Offer the layers that a host has. If no layer is chosen, choose the busiest. */
function learnedLayers(layers, latest, offers = () => false) {
  const select = $("layer");
  const known = new Set([...select.options].map((o) => o.value));

  for (const name of layers.keys()) {
    if (!known.has(name) && (latest.has(name) || offers(name) || name === state.layer)) select.add(new Option(name, name));
  }
  if (!state.layer && latest.size) {
    const busiest = [...latest].sort(([, a], [, b]) => (b.ops || 0) / b.seconds - (a.ops || 0) / a.seconds)[0][0];

    state.layer = busiest;
    writeAddress();
  }
  select.value = state.layer;
}

/* A choice for each axis of the chosen layer on any host. */
function offerFilters() {
  const axes = new Map();

  for (const { source } of views) {
    for (const row of source?.rows().values() || []) {
      for (const [axis, value] of row.axes) axes.set(axis, (axes.get(axis) || new Set()).add(value));
    }
  }
  for (const [axis, value] of state.where) axes.set(axis, (axes.get(axis) || new Set()).add(value));
  const offered = JSON.stringify([...axes].map(([axis, values]) => [axis, [...values].sort()]));

  if (offered === offerFilters.last) return;
  offerFilters.last = offered;
  refill(
    $("filters"),
    [...axes].map(([axis, values]) =>
      filterSelect(
        axis,
        [...values].sort((a, b) => a.localeCompare(b, "en", { numeric: true })),
      ),
    ),
  );
}

function filterSelect(axis, values) {
  const label = element("label", axis + " ");
  const select = element("select");

  select.dataset.id = axis;
  select.add(new Option("all", ""));
  for (const value of values) select.add(new Option(value, "=" + value));
  select.value = state.where.has(axis) ? "=" + state.where.get(axis) : "";
  select.addEventListener("change", () => filter(axis, select.value.slice(1)));
  label.append(select);
  return label;
}

function filter(axis, value) {
  if (value) state.where.set(axis, value);
  else state.where.delete(axis);
  choose({});
}

/* Change the state, and show another layer, other keys or another time of the data that the page has. */
function choose(change) {
  const layer = state.layer;

  Object.assign(state, change);
  $("layer").value = state.layer;
  for (const select of $("filters").querySelectorAll("select"))
    select.value = state.where.has(select.dataset.id) ? "=" + state.where.get(select.dataset.id) : "";
  writeAddress();
  for (const view of views) {
    if (layer !== state.layer) view.at = null;
    if (layer !== state.layer && view.host instanceof Past)
      view.host.choose().then(
        () => view.host.shown(),
        (error) => view.say("bad", `✕ ${error.message}`),
      );
    view.redraw();
  }
}

/* Start again with other hosts or another time. */
function restart() {
  for (const view of views) {
    view.host.stop();
    view.remove();
  }
  paused = null;
  showControls();
  writeAddress();
  views = (state.hosts.length ? state.hosts : [""]).map((spec) => {
    const view = new View(spec);

    view.name(spec || "pmproxy's own host");
    view.say("muted", "… asking pmproxy");
    view.host = state.from ? new Past(spec, view) : new Live(spec, view);
    return view;
  });
}

const localTime = (seconds) =>
  new Date(seconds * 1000 - new Date(seconds * 1000).getTimezoneOffset() * 60000).toISOString().slice(0, 19);

function showControls() {
  const now = Math.floor(Date.now() / 1000);

  $("hosts").value = state.hosts.join(" ");
  $("window").value = String(state.window);
  $("interval").value = String(state.interval);
  $("pause").setAttribute("aria-pressed", String(!!paused));
  $("pause").textContent = paused ? "Resume" : "Pause";
  $("from").value = localTime(state.from || now - 3600);
  $("to").value = localTime(state.to || now);
  $("live").hidden = !state.from;
  if (state.from) $("past").open = true;
  for (const e of document.querySelectorAll(".live")) e.hidden = !!state.from;
  $("source").textContent = `from pmproxy at ${state.proxy}`;
}

function pause() {
  paused = paused ? null : { ranges: new Map(views.filter((v) => v.source).map((v) => [v, v.source.range()])) };
  showControls();
  for (const view of views) view.redraw();
}

/* From here on the page can reach its pmproxy and no other address. */
function confine() {
  const meta = element("meta");

  meta.httpEquiv = "Content-Security-Policy";
  meta.content = `connect-src ${state.proxy}`;
  document.head.append(meta);
}

function listen() {
  $("layer").addEventListener("change", () => choose({ layer: $("layer").value, where: new Map() }));
  $("window").addEventListener("change", () => choose({ window: Number($("window").value) }));
  $("interval").addEventListener("change", () => choose({ interval: Number($("interval").value) }));
  $("pause").addEventListener("click", pause);
  $("hosts").addEventListener("change", () => {
    state.hosts = [
      ...new Set(
        $("hosts")
          .value.split(/[\s,]+/)
          .filter((h) => h),
      ),
    ];
    restart();
  });
  $("live").addEventListener("click", () => {
    state.from = state.to = 0;
    restart();
  });
  $("controls").addEventListener("submit", (event) => {
    const [from, to] = [$("from"), $("to")].map((input) => new Date(input.value).getTime() / 1000);

    event.preventDefault();
    $("to").setCustomValidity(from < to ? "" : "The end must be after the beginning.");
    if (!$("controls").reportValidity()) return;
    Object.assign(state, { from, to });
    restart();
  });
  $("to").addEventListener("input", () => $("to").setCustomValidity(""));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => views.forEach((view) => view.draw()));
  document.addEventListener("visibilitychange", () => views.forEach((view) => view.redraw()));
  setInterval(
    () => ($("clock").textContent = `${clock(Date.now() / 1000)} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`),
    1000,
  );
}

readAddress();
if (state.proxy) {
  confine();
  listen();
  restart();
} else {
  $("source").textContent = "The address of pmproxy after ?proxy= is not valid. A valid one is http://HOST:44322.";
  $("source").className = "bad";
}
