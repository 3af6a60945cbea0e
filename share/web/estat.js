/* SPDX-License-Identifier: GPL-2.0-or-later */
"use strict";

/* ---- Constants ---- */

const HISTORY = 3600; // seconds to keep
const PERIODS = 3700; // intervals to keep, at most
const CELLS = 3e6; // counts of buckets by key to keep of the chosen layer, at most
const KEYS = 4000; // keys of a layer, at most
const ROWS = 200; // rows of a table, at most
const URL_LIMIT = 1200; // pmproxy misreads a URL that arrives in two packets
const TIMEOUT = 15; // seconds for an answer
const EXPIRY = 60; // seconds after which pmproxy may forget a context
const AGENT = ["agent.start", "module.start", "module.status", "module.error", "module.on_demand", "module.missed", "module.dropped"];
const TOTALS = ["ops", "bytes", "errors", "latency", "p50", "p99", "max"];
const BY_KEY = ["ops", "bytes", "errors", "latency", "avg_latency", "p50", "p90", "p99", "p999", "max"];
const PAST = ["ops", "bytes", "errors", "latency", "latency_sum"];

/* ---- Elements and texts ---- */

const $ = (id) => document.getElementById(id);
const sum = (values) => values.reduce((a, b) => a + b, 0);
const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

/* An element with this text. The text never becomes markup. */
function element(tag, text = "", className = "") {
  const e = document.createElement(tag);

  e.textContent = text;
  if (className) e.className = className;
  return e;
}

/* A number with at most three digits, and k, M, G or T. */
function short(n) {
  const units = ["", "k", "M", "G", "T"];
  let i = 0;

  if (!Number.isFinite(n)) return "–";
  while (n >= 999.5 && i < units.length - 1) {
    n /= 1000;
    i++;
  }
  return (
    (n >= 99.5 ? n.toFixed(0) : n >= 1 || n === 0 ? String(Number(n.toPrecision(3))) : String(Number(n.toPrecision(2)))) +
    units[i]
  );
}

/* A latency as text; the argument is in microseconds. */
function latency(us) {
  if (!Number.isFinite(us)) return us === Infinity ? "∞" : "–";
  if (us >= 999500) return short(us / 1e6) + " s";
  return us >= 999.5 ? short(us / 1e3) + " ms" : short(us) + " µs";
}

function clock(seconds, withSeconds = true) {
  const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

  if (withSeconds) options.second = "2-digit";
  return new Date(seconds * 1000).toLocaleTimeString("en-GB", options);
}

function dateAndClock(seconds) {
  return new Date(seconds * 1000).toLocaleDateString("en-CA") + " " + clock(seconds);
}

/* ---- The address: state of the page ---- */

const state = { proxy: "", hosts: [], layer: "", where: new Map(), window: 300, interval: 1, sort: "ops", from: 0, to: 0 };

/* `value` if the select has it; else null. */
function choice(select, value) {
  return [...select.options].some((o) => o.value === value) ? Number(value) : null;
}

/* http://HOST:44322 from HOST, HOST:PORT or a URL; null if the text is no such address. */
function proxyAddress(text) {
  try {
    const url = new URL(/^[a-z]+:\/\//i.test(text) ? text : "http://" + text);

    if (!/^https?:$/.test(url.protocol)) return null;
    if (!url.port && !/:\d+\/*$/.test(text)) url.port = "44322";
    return url.origin;
  } catch {
    return null;
  }
}

function readAddress() {
  const address = new URLSearchParams(location.search);
  const own = /^https?:$/.test(location.protocol) ? location.protocol + "//" + location.hostname : "localhost";

  state.proxy = proxyAddress(address.get("proxy") || own);
  state.hosts = [...new Set(address.getAll("host").filter((h) => h))];
  state.layer = address.get("layer") || "";
  for (const text of address.getAll("where")) {
    const colon = text.indexOf(":");

    if (colon > 0) state.where.set(text.slice(0, colon), text.slice(colon + 1));
  }
  state.window = choice($("window"), address.get("window")) ?? state.window;
  state.interval = choice($("interval"), address.get("interval")) ?? state.interval;
  state.sort = address.get("sort") || state.sort;
  state.from = Date.parse(address.get("from")) / 1000 || 0;
  state.to = Date.parse(address.get("to")) / 1000 || 0;
  if (!(state.from < state.to)) state.from = state.to = 0;
}

function addressOf(s) {
  const given = new URLSearchParams(location.search).get("proxy");
  const address = new URLSearchParams();

  if (given) address.set("proxy", given);
  for (const host of s.hosts) address.append("host", host);
  if (s.layer) address.set("layer", s.layer);
  for (const [axis, value] of s.where) address.append("where", axis + ":" + value);
  if (s.window !== 300) address.set("window", s.window);
  if (s.interval !== 1) address.set("interval", s.interval);
  if (s.sort !== "ops") address.set("sort", s.sort);
  if (s.from) {
    address.set("from", new Date(s.from * 1000).toISOString());
    address.set("to", new Date(s.to * 1000).toISOString());
  }
  return location.pathname + (address.size ? "?" + address : "");
}

function writeAddress() {
  history.replaceState(null, "", addressOf(state));
}

/* ---- pmproxy ---- */

/* Refusal: pmproxy or pmcd reports an error. Silence: no answer came. */
class Refusal extends Error {}
class Silence extends Error {}

/*
 * Some of pmproxy's strings have escapes of C, which are no JSON: \xc3\xbc for ü. Make them JSON, and
 * decode the bytes of UTF-8. (In other strings pmproxy replaces each such byte by \uFFFD: it is lost.)
 */
function parseReply(text) {
  if (!/\\[xav']/.test(text)) return JSON.parse(text);
  const json = text.replace(/\\(x([0-9a-f]{2})|.)/gi, (all, one, hex) => {
    if (hex) return "\\u00" + hex;
    return { a: "\\u0007", v: "\\u000b", "'": "'" }[one] || all;
  });

  return JSON.parse(json, (key, value) => (typeof value === "string" ? fromBytes(value) : value));
}

/* Decode a text whose characters are bytes of UTF-8. Another text stays as it is. */
function fromBytes(text) {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(text, (c) => c.charCodeAt(0)));
  } catch {
    return text;
  }
}

function queryOf(parameters) {
  return Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => name + "=" + encodeURIComponent(value))
    .join("&");
}

async function ask(path, parameters = {}) {
  const options = { signal: AbortSignal.timeout(TIMEOUT * 1000), cache: "no-store", credentials: "omit" };
  let response;
  let text;

  try {
    response = await fetch(state.proxy + path + "?" + queryOf(parameters), options);
    text = await response.text();
  } catch {
    throw new Silence(`pmproxy at ${state.proxy} does not answer. Does it run, and is this its address?`);
  }
  let reply;

  try {
    reply = parseReply(text);
  } catch {
    throw new Refusal(`its answer to ${path} is not JSON (HTTP ${response.status})`);
  }
  if (reply.success === false || !response.ok) throw new Refusal(reply.message || `HTTP ${response.status} to ${path}`);
  reply.time = timeOf(text);
  return reply;
}

/* pmproxy prints SECONDS.NANOSECONDS without leading zeros in the nanoseconds. */
function timeOf(text) {
  const time = /"timestamp":\s*(\d+)\.(\d+)/.exec(text.slice(0, 200));

  return time ? Number(time[1]) + Number(time[2]) / 1e9 : NaN;
}

/* ---- Buckets ---- */

/* Each bucket that was ever seen, such as "400-500", has a number. low and high are its bounds, by number. */
const buckets = { number: new Map(), low: [], high: [] };

function bucketNumber(name) {
  const match = /(?:^|::)(\d+)-(\d+|inf)$/.exec(name);
  let number;

  if (!match) return -1;
  number = buckets.number.get(match[0].replace("::", ""));
  if (number === undefined) {
    number = buckets.low.length;
    buckets.number.set(match[0].replace("::", ""), number);
    buckets.low.push(Number(match[1]));
    buckets.high.push(match[2] === "inf" ? Infinity : Number(match[2]));
  }
  return number;
}

const keyOf = (name) => name.replace(/(?:^|::)\d+-(?:\d+|inf)$/, "");

/* The latency that this share of operations did not exceed, interpolated within a bucket. */
function percentile(counts, share) {
  const numbers = [...counts.keys()].sort((a, b) => buckets.low[a] - buckets.low[b]);
  let left = sum([...counts.values()]) * share;

  for (const n of numbers) {
    if (left <= counts.get(n)) {
      const low = buckets.low[n];

      return low + (Number.isFinite(buckets.high[n]) ? ((buckets.high[n] - low) * left) / counts.get(n) : 0);
    }
    left -= counts.get(n);
  }
  return NaN;
}

/* The upper bound of the highest bucket that was hit. */
function highest(counts) {
  const bounds = [...counts.keys()].map((n) => (Number.isFinite(buckets.high[n]) ? buckets.high[n] : buckets.low[n]));

  return bounds.length ? Math.max(...bounds) : NaN;
}

/* ---- Layers ---- */

/*
 * A layer is a prefix P with a histogram P.latency: estat.zio, estat.zio.vdev. The layer's metrics have
 * their names below P by key, and below P.total over all keys. ranks has the declared layers of the
 * stack, in their order. Other layers of a module follow the module's own.
 */
function layersOf(metrics, ranks) {
  const layers = new Map();
  const moduleRanks = new Map([...ranks].sort((a, b) => b[1] - a[1]).map(([name, rank]) => [name.split(".")[0], rank]));

  for (const { name, sem, pmid } of metrics) {
    const match = /^estat\.(?!layer\.)(.+?)(\.total)?\.latency$/.exec(name);

    if (!match || sem !== "counter" || layers.has(match[1])) continue;
    layers.set(match[1], {
      name: match[1],
      rank: ranks.get(match[1]) ?? moduleRanks.get(match[1].split(".")[0]) ?? Infinity,
      further: ranks.size > 0 && !ranks.has(match[1]),
      numbers: (pmid || "").split(".").map(Number),
    });
  }
  for (const metric of metrics) {
    const match = /^estat\.(.+)\.latency$/.exec(metric.name);

    if (match && layers.has(match[1])) layers.get(match[1]).help = metric["text-help"];
  }
  return new Map([...layers.values()].sort(byRank).map((layer) => [layer.name, layer]));
}

/* Order of layers: by rank; with equal ranks by number, as modules and their series are numbered. */
function byRank(a, b) {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.further !== b.further) return a.further - b.further;
  return a.numbers[1] - b.numbers[1] || a.numbers[2] - b.numbers[2] || a.name.localeCompare(b.name, "en");
}

/*
 * A key's axes and values. The help of the instance domain has the axes' names, "Keys of estat.zio:
 * pool::op", and the instance's name has the values in the same order. If pmproxy has labels, they are
 * used, because a value can contain ::.
 */
function axesOf(name, names, labels = {}) {
  const parts = keyOf(name).split("::");

  if (names.length && names.every((axis) => axis in labels)) return names.map((axis) => [axis, String(labels[axis])]);
  while (names.length && parts.length > names.length) parts.splice(0, 2, parts.slice(0, 2).join("::"));
  return parts.map((part, i) => [names[i] || `axis ${i + 1}`, part]);
}

const axisNames = (help) => /: ([^:\s;]+(?:::[^:\s;]+)*)(?:;|$)/.exec(help || "")?.[1].split("::") || [];

/* ---- Samples, periods and rows ---- */

/* The keys of a layer, numbered in the order in which they are first seen. */
class Keys {
  constructor() {
    this.numbers = new Map();
    this.axes = [];
  }

  number(name, axes) {
    const key = keyOf(name);
    let number = this.numbers.get(key);

    if (number === undefined) {
      if (this.axes.length >= KEYS) return -1;
      number = this.axes.length;
      this.numbers.set(key, number);
      this.axes.push(axes());
    }
    return number;
  }

  /* For each key, 1 if its axes have the values that the user chose. */
  passing() {
    return Uint8Array.from(this.axes, (axes) => {
      const values = new Map(axes);

      return [...state.where].every(([axis, value]) => values.get(axis) === value);
    });
  }
}

/*
 * The periods of a layer: {end, seconds, p99, max, bucket, count}; bucket and count have an entry for each
 * bucket that was hit. By key there are also {key}, and {active, activeP99, activeMax}, an entry for each key
 * that had an operation.
 */
class Track {
  constructor() {
    this.periods = [];
    this.cells = 0;
  }

  push(period) {
    this.periods.push(period);
    this.cells += period.bucket.length;
    while (this.periods.length > PERIODS || this.cells > CELLS || this.periods[0].end < period.end - HISTORY)
      this.cells -= this.periods.shift().bucket.length;
  }
}

/*
 * Makes periods and rows from samples, live or of the past. A sample is {time, values, name(metric,
 * instance), axes(metric, instance)}; values has a Map from instance to value for each metric; a metric
 * without instances has one value, at null. A row is of the last period, or, with summed, of all time.
 */
class Recorder {
  constructor(layers, layer, { instants = false, summed = false }) {
    this.layers = layers;
    this.layer = layer;
    this.instants = instants; // the agent's percentiles are over this very period
    this.summed = summed;
    this.totals = new Map();
    this.track = new Track();
    this.keys = new Keys();
    this.rows = new Map();
    this.latest = new Map();
    this.before = new Map();
    this.restarts = 0;
  }

  /* Choose another layer: forget the keys of the old one. */
  choose(layer) {
    this.layer = layer;
    this.track = new Track();
    this.keys = new Keys();
    this.rows = new Map();
  }

  /* Start again after an interruption; there is no period for the interruption. */
  interrupt() {
    this.before = new Map();
  }

  /* Start a layer again that the page does not fetch now. */
  leaveOut(layer) {
    for (const leaf of TOTALS) this.before.delete(`estat.${layer}.total.${leaf}`);
    for (const leaf of BY_KEY) this.before.delete(`estat.${layer}.${leaf}`);
  }

  add(sample) {
    this.now = sample;
    if (this.restarted()) {
      this.restarts++;
      this.interrupt();
    }
    for (const layer of this.layers.values()) this.addTotal(layer);
    if (this.layers.has(this.layer)) this.addKeys(this.layers.get(this.layer));
    for (const [metric, values] of sample.values) this.before.set(metric, { time: sample.time, values });
  }

  /* True if the agent or the module has started since the previous sample. */
  restarted() {
    return ["estat.agent.start", "estat.module.start"].some((metric) => {
      const before = this.before.get(metric)?.values;

      return [...(this.now.values.get(metric) || [])].some(
        ([instance, value]) => before?.has(instance) && before.get(instance) !== value,
      );
    });
  }

  /* By how much a counter has grown since the previous sample; null if that is not known. */
  growth(metric) {
    const now = this.now.values.get(metric);
    const before = this.before.get(metric);
    const grown = new Map();

    if (!now || !before || this.now.time <= before.time) return null;
    for (const [instance, value] of now) {
      /* A new instance began at 0. An instance with a lower value than before began at 0 again. */
      const since = before.values.get(instance) ?? 0;
      const by = value < since ? value : value - since;

      if (by > 0) grown.set(instance, by);
    }
    grown.seconds = this.now.time - before.time;
    return grown;
  }

  value(metric, instance = null) {
    const value = this.now.values.get(metric)?.get(instance);

    return typeof value === "number" ? value : NaN;
  }

  /* The growth over all keys: of the total, else the sum of the keys. */
  total(layer, leaf) {
    return this.growth(`estat.${layer.name}.total.${leaf}`) || this.growth(`estat.${layer.name}.${leaf}`);
  }

  totalNumber(layer, leaf) {
    const grown = this.total(layer, leaf);

    return grown ? sum([...grown.values()]) : NaN;
  }

  /* The growth of the histogram over all keys, by bucket. */
  totalBuckets(layer) {
    const grown = this.total(layer, "latency");
    const counts = new Map();
    const named =
      grown &&
      [`estat.${layer.name}.total.latency`, `estat.${layer.name}.latency`].find(
        (m) => this.now.values.has(m) && this.before.has(m),
      );

    for (const [instance, by] of grown || []) {
      const bucket = bucketNumber(this.now.name(named, instance));

      if (bucket >= 0) counts.set(bucket, (counts.get(bucket) || 0) + by);
    }
    counts.seconds = grown?.seconds;
    return counts;
  }

  addTotal(layer) {
    const counts = this.totalBuckets(layer);
    const ops = this.totalNumber(layer, "ops");
    const errors = this.totalNumber(layer, "errors");
    const p = `estat.${layer.name}.total.`;
    const row = { seconds: counts.seconds, ops, errors, bytes: this.totalNumber(layer, "bytes"), counts };

    if (!counts.seconds) {
      if (!this.summed) this.latest.delete(layer.name);
      return;
    }
    /* In a period without operations pmproxy repeats old percentiles. */
    if (this.instants && (ops > 0 || errors > 0)) {
      for (const leaf of ["p50", "p99", "max"]) {
        if (this.value(p + leaf) > 0) row[leaf] = this.value(p + leaf);
      }
    }
    if (!this.totals.has(layer.name)) this.totals.set(layer.name, new Track());
    this.totals.get(layer.name).push(this.period(row, counts.keys(), counts.values()));
    this.latest.set(layer.name, this.summed ? added(this.latest.get(layer.name), row) : row);
  }

  period(row, numbers, counts) {
    return {
      end: this.now.time,
      seconds: row.seconds,
      p99: row.p99 ?? percentile(row.counts, 0.99),
      max: row.max ?? highest(row.counts),
      bucket: Uint16Array.from(numbers),
      count: Float32Array.from(counts),
    };
  }

  /* The chosen layer by key: rows for the table, a period for the heat map. */
  addKeys(layer) {
    const rows = this.keyRows(`estat.${layer.name}.`);
    const cells = [[], [], []];
    const busy = [...rows].filter(([, row]) => row.counts.size);

    if (rows.seconds) {
      for (const [key, row] of busy) {
        for (const [bucket, by] of row.counts) {
          cells[0].push(bucket);
          cells[1].push(by);
          cells[2].push(key);
        }
      }
      const period = this.period({ seconds: rows.seconds, p99: NaN, max: NaN }, cells[0], cells[1]);

      period.key = Uint16Array.from(cells[2]);
      period.active = Uint16Array.from(busy.map(([key]) => key));
      period.activeP99 = Float32Array.from(busy.map(([, row]) => row.p99 ?? percentile(row.counts, 0.99)));
      period.activeMax = Float32Array.from(busy.map(([, row]) => row.max ?? highest(row.counts)));
      this.track.push(period);
    }
    if (!this.summed) this.rows = rows;
    else for (const [key, row] of rows) this.rows.set(key, added(this.rows.get(key), row));
  }

  /* The growth of each key's counters and histogram, and the agent's own figures. */
  keyRows(p) {
    const rows = new Map();
    const rowOf = (metric, instance) => {
      const name = this.now.name(metric, instance);
      /* An instance that has gone since the fetch has no name. */
      const key = name ? this.keys.number(name, () => this.now.axes(metric, instance)) : -1;

      if (key >= 0 && !rows.has(key)) rows.set(key, { axes: this.keys.axes[key], counts: new Map() });
      return rows.get(key);
    };
    const grown = this.growth(p + "latency");

    if (!grown) return rows;
    rows.seconds = grown.seconds;
    for (const leaf of ["ops", "bytes", "errors", "latency_sum"]) {
      for (const instance of this.now.values.get(p + leaf)?.keys() || []) {
        const row = rowOf(p + leaf, instance);

        if (row) row[leaf] = this.growth(p + leaf)?.get(instance) ?? 0;
      }
    }
    for (const [instance, by] of grown) {
      const bucket = bucketNumber(this.now.name(p + "latency", instance));

      if (bucket >= 0) rowOf(p + "latency", instance)?.counts.set(bucket, by);
    }
    for (const leaf of this.instants ? ["avg_latency", "p50", "p90", "p99", "p999", "max"] : []) {
      for (const instance of this.now.values.get(p + leaf)?.keys() || []) {
        const row = rowOf(p + leaf, instance);

        if (row?.counts.size) row[leaf] = this.value(p + leaf, instance);
      }
    }
    for (const row of rows.values()) row.seconds = rows.seconds;
    return rows;
  }

  /* The chosen layer's periods: of all keys, or of the keys with the chosen values. */
  periods() {
    const passing = state.where.size ? this.keys.passing() : null;

    return passing ? this.track.periods.map((period) => only(period, passing)) : this.totals.get(this.layer)?.periods || [];
  }
}

/* A row plus its growth. */
function added(row, more) {
  if (!row) return { ...more, counts: new Map(more.counts) };
  for (const leaf of ["seconds", "ops", "bytes", "errors", "latency_sum"]) row[leaf] += more[leaf];
  for (const [bucket, by] of more.counts) row.counts.set(bucket, (row.counts.get(bucket) || 0) + by);
  return row;
}

/* A period restricted to the keys that pass. */
function only(period, passing) {
  const counts = new Map();
  const active = [...period.active.keys()].filter((i) => passing[period.active[i]]);

  for (let i = 0; i < period.bucket.length; i++) {
    if (passing[period.key[i]]) counts.set(period.bucket[i], (counts.get(period.bucket[i]) || 0) + period.count[i]);
  }
  return {
    end: period.end,
    seconds: period.seconds,
    bucket: [...counts.keys()],
    count: [...counts.values()],
    p99: active.length === 1 ? period.activeP99[active[0]] : percentile(counts, 0.99),
    max: active.length ? Math.max(...active.map((i) => period.activeMax[i])) : NaN,
  };
}

/* ---- A host, live ---- */

/* The modules' states. Without modules there is no agent. */
function statusOf(values) {
  const status = values.get("estat.module.status");

  if (!status?.size) throw new Refusal("the agent of estat does not answer; this page goes on when it does.");
  return status;
}

class Live {
  constructor(spec, view) {
    this.spec = spec;
    this.view = view;
    this.context = null;
    this.failures = 0;
    this.run();
  }

  stop() {
    this.stopped = true;
  }

  async run() {
    while (!this.stopped) {
      const begun = performance.now();

      try {
        await this.tick();
        this.failures = 0;
      } catch (error) {
        this.failed(error);
      }
      const elapsed = (performance.now() - begun) / 1000;
      await sleep(this.failures ? Math.min(2 ** (this.failures - 1), 8) : Math.max(0.05, state.interval - elapsed));
    }
  }

  async tick() {
    if (!this.context) await this.connect();
    if (!this.learned) await this.learn();
    const sample = await this.sample();

    if (this.stopped) return;
    if (this.changed(sample)) {
      this.learned = false;
      return;
    }
    if (this.recorder.layer !== state.layer) this.recorder.choose(state.layer);
    for (const name of this.layers.keys()) if (!this.asksFor(name)) this.recorder.leaveOut(name);
    this.recorder.add(sample);
    learnedLayers(this.layers, this.latest(), (name) => this.offers(name));
    this.view.say(
      "good",
      `● live, since ${clock(this.since)}` + (this.recorder.restarts ? ", restarted meanwhile" : ""),
    );
    this.view.show(this, sample);
  }

  async connect() {
    const reply = await ask("/pmapi/context", { hostspec: this.spec, polltimeout: EXPIRY });

    this.context = reply.context;
    this.learned = false;
    this.recorder?.interrupt();
    this.indoms = new Map();
    this.view.name(reply.labels?.hostname || reply.hostspec);
  }

  request(path, parameters) {
    return ask("/pmapi/" + path, { ...parameters, context: this.context });
  }

  /* Learn which metrics exist. They change when a module comes or goes. */
  async learn() {
    let reply;

    try {
      reply = await this.request("metric", { prefix: "estat" });
    } catch (error) {
      if (/unknown metric name|traversal failed/i.test(error.message))
        throw new Refusal("pmcd there has no metrics of estat. Is the agent installed (./Install), and does it run?");
      throw error;
    }
    const metrics = reply.metrics.filter((metric) => metric.pmid);

    this.metrics = new Map(metrics.map((metric) => [metric.name, metric]));
    this.layers = layersOf(metrics, await this.ranks());
    this.onDemand = await this.demanded();
    this.learned = true;
    this.status = null;
    this.since = Date.now() / 1000;
    this.recorder ||= new Recorder(this.layers, state.layer, { instants: true });
    this.recorder.layers = this.layers;
  }

  /* Each layer's rank in the stack, by the layer's name. */
  async ranks() {
    const indom = this.metrics.get("estat.layer.ops")?.indom;

    return new Map(indom ? (await this.request("indom", { indom })).instances.map((i) => [i.name, i.instance]) : []);
  }

  /* By module: true if a fetch of its metrics attaches it. Older agents do not export that. */
  async demanded() {
    const names = ["estat.module.status", "estat.module.on_demand"].filter((name) => this.metrics.has(name));
    const { values } = await this.fetch(names);
    const onDemand = values.get("estat.module.on_demand");

    return new Map(
      [...statusOf(values).keys()].map((i) => [this.instance("estat.module.status", i)?.name, onDemand?.get(i) === 1]),
    );
  }

  /* The module with the longest name that is a prefix of the layer's name. */
  moduleOf(layer) {
    const names = [...this.onDemand.keys()].filter((name) => (layer + ".").startsWith(name + "."));

    return names.sort((a, b) => b.length - a.length)[0];
  }

  /* The page fetches a module on demand only while one of the module's layers is chosen. */
  asksFor(layer) {
    const module = this.moduleOf(layer);

    return !this.onDemand.get(module) || module === this.moduleOf(state.layer);
  }

  /* A layer of a module on demand can be chosen before it has figures. */
  offers(layer) {
    return this.onDemand.get(this.moduleOf(layer)) && this.running.has(this.moduleOf(layer));
  }

  names() {
    const names = AGENT.map((leaf) => "estat." + leaf);
    const layers = [...this.layers.keys()].filter((name) => this.asksFor(name));

    for (const name of layers) names.push(...TOTALS.map((leaf) => `estat.${name}.total.${leaf}`));
    names.push(...BY_KEY.map((leaf) => `estat.${state.layer}.${leaf}`));
    return names.filter((name) => this.metrics.has(name));
  }

  /* Fetch by PMID, in several requests, because URLs must be short. */
  async fetch(names) {
    const values = new Map();
    let time = 0;
    let pmids = [];

    const fetchSome = async () => {
      const reply = await this.request("fetch", { pmids: pmids.join() });

      time ||= reply.time;
      for (const { name, instances } of reply.values)
        values.set(name, new Map(instances.map((i) => [i.instance, i.value])));
      pmids = [];
    };
    for (const name of names) {
      pmids.push(this.metrics.get(name).pmid);
      if (pmids.length * 12 > URL_LIMIT) await fetchSome();
    }
    if (pmids.length) await fetchSome();
    await this.nameInstances(values);
    return { time, values };
  }

  async sample() {
    return {
      ...(await this.fetch(this.names())),
      name: (metric, instance) => this.instance(metric, instance)?.name || "",
      axes: (metric, instance) => {
        const indom = this.indoms.get(this.metrics.get(metric)?.indom);
        const { name, labels } = this.instance(metric, instance);

        return axesOf(name, indom.axes, labels);
      },
    };
  }

  instance(metric, instance) {
    return this.indoms.get(this.metrics.get(metric)?.indom)?.instances.get(instance);
  }

  /* Ask for the names of instances if an instance has none yet. */
  async nameInstances(values) {
    for (const [name, instances] of values) {
      const indom = this.metrics.get(name)?.indom;

      if (!indom || [...instances.keys()].every((i) => this.instance(name, i))) continue;
      const reply = await this.request("indom", { indom });

      this.indoms.set(indom, {
        axes: axisNames(reply["text-oneline"]),
        instances: new Map(reply.instances.map((i) => [i.instance, i])),
      });
    }
  }

  /* True if the modules have changed, and so the metrics. */
  changed(sample) {
    const status = statusOf(sample.values);

    this.running = new Set(
      [...status]
        .filter(([, what]) => what === "running" || what === "blind")
        .map(([instance]) => this.instance("estat.module.status", instance)?.name),
    );
    const text = JSON.stringify(
      ["status", "start", "on_demand"].map((leaf) => [...(sample.values.get("estat.module." + leaf) || [])]),
    );
    const changed = this.status && this.status !== text;

    this.status = text;
    return changed;
  }

  periods() {
    return this.recorder.periods();
  }

  /* pmproxy repeats the last values of modules that do not run: leave these out. */
  latest() {
    return new Map([...this.recorder.latest].filter(([name]) => this.running.has(this.moduleOf(name))));
  }

  rows() {
    return this.recorder.layer === state.layer ? this.recorder.rows : new Map();
  }

  range() {
    const now = this.recorder.now?.time || Date.now() / 1000;

    return [now - state.window, now];
  }

  failed(error) {
    const since = (this.failures ? this.view.failing : clock(Date.now() / 1000)) || "";

    this.view.failing = since;
    if (/context identifier/.test(error.message)) {
      this.context = null;
      this.failures = Math.max(this.failures, 1);
      return;
    }
    this.failures++;
    if (!(error instanceof Refusal || error instanceof Silence)) console.error(error);
    this.view.say(
      "bad",
      `✕ since ${since}: ${error instanceof Refusal && !this.context ? "pmproxy is there, but " : ""}${error.message.replace(/[^.?]$/, "$&.")} Trying again.`,
    );
    if (!(error instanceof Refusal) || !this.learned) this.context = null;
  }
}

/* ---- A host, in the past ---- */

/* A window of the time series that pmproxy keeps in Redis or Valkey. */
class Past {
  constructor(spec, view) {
    this.spec = spec;
    this.view = view;
    this.axisNames = [];
    this.run();
  }

  stop() {
    this.stopped = true;
  }

  async run() {
    try {
      this.view.say("muted", "… reading the past");
      await this.load();
      if (!this.stopped) this.shown();
    } catch (error) {
      if (this.stopped) return;
      if (!(error instanceof Refusal || error instanceof Silence)) console.error(error);
      this.view.say("bad", `✕ ${error.message}`);
    }
  }

  shown() {
    const periods = this.periods().length;

    if (periods) this.view.say("muted", `${dateAndClock(state.from)} to ${dateAndClock(state.to)}`);
    else
      this.view.say(
        "care",
        `▲ nothing of ${state.layer || "estat"} is recorded from ${dateAndClock(state.from)} to ${dateAndClock(state.to)}`,
      );
    this.view.show(this);
  }

  async load() {
    const host = await this.hostname();

    this.host = host;
    this.view.name(host);
    await this.learn(host);
    if (this.stopped) return;
    const names = [...this.layers.keys()];
    const agent = ["agent.start", "module.start"];
    const totals = (layer) =>
      PAST.map((leaf) => (this.sids.has(`estat.${layer}.total.${leaf}`) ? `${layer}.total.${leaf}` : `${layer}.${leaf}`));

    this.overview = await this.record(20, [...agent, ...names.flatMap(totals)], names, { summed: true });
    learnedLayers(this.layers, this.overview.latest);
    await this.choose();
  }

  /* Load the chosen layer in more steps, and by key. */
  async choose() {
    const p = state.layer + ".";
    const totals = PAST.map((leaf) => p + "total." + leaf).filter((leaf) => this.sids.has("estat." + leaf));
    const agent = ["agent.start", "module.start"];

    this.layer = state.layer;
    this.axisNames = await this.axes(state.layer);
    this.byKey = await this.record(totals.length ? 100 : 300, [...agent, ...PAST.map((leaf) => p + leaf)], [this.layer], {
      summed: true,
    });
    this.fine = totals.length ? await this.record(300, [...agent, ...totals], [this.layer], {}) : this.byKey;
  }

  /* The host's name in the series: the name in the address, or the name that the host reports. */
  async hostname() {
    let known;

    try {
      known = (await ask("/series/labels", { names: "hostname" })).hostname || [];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(
        "pmproxy has no time series; it needs Redis or Valkey for that, and [pmseries] in pmproxy.conf",
      );
    }
    if (known.includes(this.spec)) return this.spec;
    const name = await ask("/pmapi/context", { hostspec: this.spec }).then(
      (reply) => reply.labels?.hostname,
      () => undefined,
    );

    if (known.includes(name)) return name;
    throw new Refusal(
      `pmproxy has no time series of ${name || this.spec || "its own host"}` +
        (known.length ? `; it has time series of: ${known.join(", ")}` : ""),
    );
  }

  async learn(host) {
    const metrics = [];

    this.sids = new Map();
    this.instances = new Map();
    this.named = new Set();
    if (/["\\]/.test(host)) throw new Refusal("a host's name has no quotes and no backslashes");
    const leaves = [...PAST.map((leaf) => "estat.*." + leaf), "estat.agent.start", "estat.module.start", "estat.layer.ops"];
    for (const leaf of leaves) {
      const sids = await ask("/series/query", { expr: `${leaf}{hostname=="${host}"}` });

      for (const some of batches(sids)) {
        const named = await ask("/series/metrics", { series: some.join() });
        const descs = new Map((await ask("/series/descs", { series: some.join() })).map((d) => [d.series, d]));

        for (const { series, name } of named) {
          if (this.sids.has(name)) this.sids.get(name).push(series);
          else this.sids.set(name, [series]);
          metrics.push({ name, sem: descs.get(series)?.semantics, pmid: descs.get(series)?.pmid });
        }
      }
    }
    this.layers = layersOf(metrics, await this.ranks());
  }

  /* Each layer's rank in the stack, by the layer's name. */
  async ranks() {
    const [sid] = this.sids.get("estat.layer.ops") || [];

    return new Map(sid ? (await ask("/series/instances", { series: sid })).map((i) => [i.name, i.id]) : []);
  }

  /* Record the values of these metrics at so many times in the window. */
  async record(steps, leaves, layers, options) {
    const recorder = new Recorder(new Map(layers.map((l) => [l, this.layers.get(l)])), state.layer, options);
    const times = new Map();
    const interval = Math.round((state.to - state.from) / steps);

    for (const leaf of leaves) {
      for (const sid of this.sids.get("estat." + leaf) || []) {
        if (this.stopped) return recorder;
        await this.nameInstances(sid);
        for (const value of await ask("/series/values", {
          series: sid,
          start: state.from,
          finish: state.to,
          interval: interval > 1 ? interval : "",
        })) {
          const values = times.get(value.timestamp) || times.set(value.timestamp, new Map()).get(value.timestamp);
          const metric = values.get("estat." + leaf) || values.set("estat." + leaf, new Map()).get("estat." + leaf);

          metric.set(value.instance ?? null, Number(value.value));
        }
      }
    }
    await this.nameAll(times, leaves);
    for (const time of [...times.keys()].sort((a, b) => a - b)) {
      const name = (metric, instance) => this.instances.get(instance) || "";

      recorder.add({
        time: time / 1000,
        values: times.get(time),
        name,
        axes: (metric, instance) => axesOf(name(metric, instance), this.axisNames),
      });
    }
    return recorder;
  }

  async nameInstances(sid) {
    if (this.named.has(sid)) return;
    this.named.add(sid);
    for (const { instance, name } of await ask("/series/instances", { series: sid })) this.instances.set(instance, name);
  }

  /*
   * pmproxy has the name of an instance that came later for one metric of the domain only, the first that
   * had it. So all metrics of the module may be needed to find the name.
   */
  async nameAll(times, leaves) {
    const unknown = () =>
      [...times.values()].some((values) =>
        [...values.values()].some((metric) => [...metric.keys()].some((i) => i !== null && !this.instances.has(i))),
      );

    for (const module of new Set(leaves.map((leaf) => leaf.split(".")[0]))) {
      if (!unknown()) return;
      for (const sid of await ask("/series/query", { expr: `estat.${module}.*{hostname=="${this.host}"}` }))
        await this.nameInstances(sid);
    }
  }

  /* The names of a layer's axes: from the series' labels if there are any, else from the live host. */
  async axes(layer) {
    const [sid] = this.sids.get(`estat.${layer}.ops`) || [];
    const [first] = sid ? await ask("/series/instances", { series: sid }) : [];

    if (!first) return [];
    const [{ labels } = {}] = await ask("/series/labels", { series: first.instance });
    const parts = first.name.split("::");
    const found = parts.map((part) => Object.keys(labels || {}).find((l) => String(labels[l]) === part));

    if (found.every((l) => l)) return found;
    return ask("/pmapi/indom", { name: `estat.${layer}.ops`, hostspec: this.spec }).then(
      (indom) => axisNames(indom["text-oneline"]),
      () => [],
    );
  }

  periods() {
    if (!this.fine) return [];
    return state.where.size ? this.byKey.periods() : this.fine.periods();
  }

  latest() {
    return this.overview?.latest || new Map();
  }

  rows() {
    return this.byKey?.rows || new Map();
  }

  range() {
    return [state.from, state.to];
  }
}

/* Lists of at most 25 series: as many as fit into a URL. */
function* batches(all) {
  for (let i = 0; i < all.length; i += 25) yield all.slice(i, i + 25);
}

/* ---- The view of a host ---- */

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
    this.showLayers();
    this.showKeys();
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

  showLayers() {
    const latest = this.source.latest();
    const rows = [...this.source.layers.values()]
      .filter((layer) => latest.has(layer.name) || this.source.offers?.(layer.name))
      .map((layer) => layerRow(layer, latest.get(layer.name)));

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

/* A layer without a row has no figures: the page does not fetch it, or has just begun to. */
function layerRow(layer, row = { counts: new Map() }) {
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
  name.append(linkButton(layer.name, layer.name, () => choose({ layer: layer.name, where: new Map() })));
  if (layer.name === state.layer) name.firstChild.setAttribute("aria-current", "true");
  if (!row.seconds) name.append(element("span", " attached on demand", "muted small"));
  if (row.errors > 0) name.append(element("span", ` ✕ ${short(row.errors)} failed`, "bad small"));
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

/* ---- The heat map itself: time from left to right, latency upwards, colour by operations a second ---- */

const MARGIN = { left: 54, right: 8, top: 8, bottom: 22 };

class HeatMap {
  constructor(periods, [from, to], width, height) {
    const style = getComputedStyle(document.documentElement);

    Object.assign(this, { from, to, width, height, low: Infinity, high: 0 });
    this.color = (name) => style.getPropertyValue(name).trim();
    this.heat = this.color("--heat").split(/\s+/);
    this.left = MARGIN.left;
    this.right = width - MARGIN.right;
    this.bottom = height - MARGIN.bottom;
    this.periods = periods.filter((p) => p.end > from + 1e-3 && p.end - p.seconds < to - 1e-3);
    this.count = Math.round(sum(this.periods.map((p) => sum([...p.count]))));
    this.seconds = this.cellSeconds();
    this.cells = Math.ceil((to - from) / this.seconds) + 1;
    this.begin = Math.floor(from / this.seconds) * this.seconds;
    this.fill();
    this.bounds();
  }

  /* Seconds of a cell: at least two pixels, and at least a typical period. */
  cellSeconds() {
    const lengths = this.periods.map((p) => p.seconds).sort((a, b) => a - b);
    const usual = lengths[lengths.length >> 1] || 1;

    return Math.max(usual, ((this.to - this.from) * 2) / (this.right - this.left));
  }

  /* Distribute a period's counts over the cells that it overlaps, in proportion. */
  fill() {
    this.rates = Array.from({ length: this.cells }, () => new Map());
    this.covered = new Float64Array(this.cells);
    this.p99 = new Float64Array(this.cells).fill(NaN);
    this.max = new Float64Array(this.cells).fill(NaN);
    for (const p of this.periods) {
      const first = Math.max(0, Math.floor((p.end - p.seconds - this.begin) / this.seconds));
      const last = Math.min(this.cells - 1, Math.floor((p.end - this.begin - 1e-6) / this.seconds));

      for (let c = first; c <= last; c++) {
        const cell = this.begin + c * this.seconds;
        const overlap = Math.min(p.end, cell + this.seconds) - Math.max(p.end - p.seconds, cell);

        if (overlap < p.seconds / 50) continue; // a rounding error
        this.covered[c] += overlap;
        for (let i = 0; i < p.bucket.length; i++)
          this.rates[c].set(p.bucket[i], (this.rates[c].get(p.bucket[i]) || 0) + (p.count[i] * overlap) / p.seconds);
        if (overlap < 0.3 * Math.min(this.seconds, p.seconds)) continue;
        if (!(this.p99[c] >= p.p99)) this.p99[c] = p.p99;
        if (!(this.max[c] >= p.max)) this.max[c] = p.max;
      }
    }
  }

  bounds() {
    let low = Infinity;
    let high = 0;

    this.least = Infinity;
    this.most = 0;
    this.rates.forEach((cell, c) => {
      for (const [bucket, count] of cell) {
        const rate = count / this.covered[c];

        cell.set(bucket, rate);
        this.least = Math.min(this.least, rate);
        this.most = Math.max(this.most, rate);
        low = Math.min(low, buckets.low[bucket] || buckets.high[bucket] / 2);
        high = Math.max(high, Number.isFinite(buckets.high[bucket]) ? buckets.high[bucket] : buckets.low[bucket] * 2);
      }
    });
    if (!high) return;
    /* The scale has at least two decades. */
    const middle = Math.sqrt(low * high);
    this.own = {
      low: Math.min(low, middle / 10),
      high: Math.max(high, middle * 10) * 1.1,
      least: this.least,
      most: this.most,
    };
    this.include(this);
  }

  /* Extend the scales by those of another map. */
  include({ own }) {
    if (!own) return;
    this.low = Math.min(this.low, own.low);
    this.high = Math.max(this.high, own.high);
    this.least = Math.min(this.least, own.least);
    this.most = Math.max(this.most, own.most);
  }

  x(time) {
    return this.left + ((time - this.from) / (this.to - this.from)) * (this.right - this.left);
  }

  y(us) {
    const share = Math.log(Math.max(us, this.low) / this.low) / Math.log(this.high / this.low);

    return this.bottom - share * (this.bottom - MARGIN.top);
  }

  shade(rate) {
    const share = this.most > this.least ? Math.log(rate / this.least) / Math.log(this.most / this.least) : 0;

    return this.heat[Math.min(this.heat.length - 1, Math.floor(share * this.heat.length))];
  }

  draw(context, at) {
    context.clearRect(0, 0, this.width, this.height);
    if (!this.high) [this.low, this.high] = [10, 1e5];
    this.drawAxes(context);
    context.save();
    context.beginPath();
    context.rect(this.left, MARGIN.top, this.right - this.left, this.bottom - MARGIN.top);
    context.clip();
    this.rates.forEach((cell, c) => {
      for (const [bucket, rate] of cell) this.drawCell(context, c, bucket, rate);
    });
    this.drawLine(context, this.max, [3, 3]);
    this.drawLine(context, this.p99, []);
    if (at) this.drawPointer(context, at);
    context.restore();
  }

  edges(c, bucket) {
    const low = buckets.low[bucket] || buckets.high[bucket] / 2;
    const high = Number.isFinite(buckets.high[bucket]) ? buckets.high[bucket] : this.high;
    const x = this.x(this.begin + c * this.seconds);
    const width = this.x(this.begin + (c + 1) * this.seconds) - x;

    return [x, this.y(high), width, this.y(low) - this.y(high)];
  }

  drawCell(context, c, bucket, rate) {
    const [x, y, width, height] = this.edges(c, bucket);

    context.fillStyle = this.shade(rate);
    context.fillRect(
      Math.floor(x),
      Math.floor(y),
      Math.ceil(x + width) - Math.floor(x),
      Math.max(2, Math.ceil(y + height) - Math.floor(y)),
    );
  }

  /* Draw a line that is visible on every colour: dark within light, or the reverse. */
  drawLine(context, values, dash) {
    for (const [name, width] of [
      ["--panel", 3.5],
      ["--text", 1.5],
    ]) {
      context.beginPath();
      context.strokeStyle = this.color(name);
      context.lineWidth = width;
      context.setLineDash(width < 2 ? dash : []);
      values.forEach((us, c) => {
        const x = this.x(this.begin + (c + 0.5) * this.seconds);

        if (!(us > 0)) return;
        if (values[c - 1] > 0) context.lineTo(x, this.y(us));
        else {
          context.moveTo(x - 1, this.y(us));
          context.lineTo(x, this.y(us));
        }
      });
      context.stroke();
    }
    context.setLineDash([]);
  }

  drawPointer(context, at) {
    const x = this.x(this.begin + at.cell * this.seconds);
    const width = this.x(this.begin + (at.cell + 1) * this.seconds) - x;
    const y = this.y(at.us);

    context.strokeStyle = this.color("--accent");
    context.lineWidth = 2;
    context.strokeRect(x, MARGIN.top, width, this.bottom - MARGIN.top);
    context.strokeRect(x - 3, y - 4, width + 6, 8);
  }

  drawAxes(context) {
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = this.color("--muted");
    context.strokeStyle = this.color("--line");
    context.lineWidth = 1;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const us of this.latencyTicks()) {
      const y = Math.round(this.y(us)) + 0.5;

      context.fillText(latency(us), this.left - 6, y);
      context.beginPath();
      context.moveTo(this.left, y);
      context.lineTo(this.right, y);
      context.stroke();
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    const step = this.timeStep();
    const offset = new Date(this.from * 1000).getTimezoneOffset() * 60;

    for (let t = Math.ceil((this.from - offset) / step) * step + offset; t <= this.to; t += step) {
      const x = this.x(t);

      if (x < this.left + 18 || x > this.right - 18) continue;
      context.fillText(clock(t, step < 60), x, this.bottom + 6);
      context.fillRect(x, this.bottom, 1, 4);
    }
  }

  latencyTicks() {
    const ticks = [];
    const few = Math.log10(this.high / this.low) < 3;

    for (let decade = 10 ** Math.floor(Math.log10(this.low)); decade <= this.high; decade *= 10) {
      for (const digit of few ? [1, 2, 5] : [1])
        if (digit * decade >= this.low && digit * decade <= this.high) ticks.push(digit * decade);
    }
    return ticks;
  }

  timeStep() {
    const most = Math.max(2, (this.right - this.left) / 90);
    const steps = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

    return steps.find((step) => (this.to - this.from) / step <= most) || 864000;
  }

  cellAt(x, y) {
    const time = this.from + ((x - this.left) / (this.right - this.left)) * (this.to - this.from);
    const share = (this.bottom - y) / (this.bottom - MARGIN.top);

    if (x < this.left || x > this.right || share < 0 || share > 1) return null;
    return { cell: Math.floor((time - this.begin) / this.seconds), us: this.low * (this.high / this.low) ** share };
  }

  /* Move by arrow keys among the cells that have data, starting at the newest. */
  moved(at, cells, steps) {
    const known = this.rates.map((cell, c) => (this.covered[c] ? c : -1)).filter((c) => c >= 0);
    const newest = known.at(-1);

    if (!known.length) return null;
    if (!at) return { cell: newest, us: this.p99[newest] || Math.sqrt(this.low * this.high) };
    const place = known.findLastIndex((c) => c <= at.cell) + cells;

    return {
      cell: known[Math.min(Math.max(place, 0), known.length - 1)],
      us: Math.min(Math.max(at.us * 10 ** (steps / 10), this.low), this.high),
    };
  }

  read({ cell, us }) {
    const counts = this.rates[cell];
    const when = clock(this.begin + cell * this.seconds);

    if (!counts || !this.covered[cell]) return `${when}: no data`;
    const bucket = [...counts.keys()].find((b) => us >= buckets.low[b] && us < buckets.high[b]);
    const here =
      bucket === undefined
        ? `no operation at ${latency(us)}`
        : `${short(counts.get(bucket))} operations/s of ${latency(buckets.low[bucket])} to ${latency(buckets.high[bucket])}`;

    return `${when}: ${here}; all ${short(sum([...counts.values()]))}/s, p99 ${latency(this.p99[cell])}, max ${latency(this.max[cell])}`;
  }

  worst(leaf) {
    const known = this[leaf].filter((us) => us > 0);

    return known.length ? Math.max(...known) : NaN;
  }

  legend() {
    const colors = element("span", "", "swatches");
    const least = element("span", this.count ? short(this.least) : "few");
    const box = element("span");

    for (const color of this.heat) {
      const swatch = element("i");

      swatch.style.background = color;
      colors.append(swatch);
    }
    box.append(least, colors, this.count ? `${short(this.most)} operations/s` : "many operations/s");
    return [box, element("span", "━ p99"), element("span", "╌ max")];
  }
}

/* ---- The page ---- */

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

/* Show another part of the data that is there. */
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
