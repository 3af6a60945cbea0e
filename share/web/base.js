/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the other files use: constants, elements and texts, and the page's state, which its address holds. */
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
const AGENT = ["agent.start", "module.start", "module.status", "module.error", "module.on_demand", "module.missed", "module.dropped", "layer.twice"];
const GAUGES = ["inflight", "oldest"]; // operations under way, and the age of the oldest in µs
const HANGS = 1e7; // µs under way; less can be just a sync, or an operation in a disk's long queue
const TOTALS = ["ops", "bytes", "errors", "latency", "p50", "p99", "max", ...GAUGES];
const BY_KEY = ["ops", "bytes", "errors", "latency", "avg_latency", "p50", "p90", "p99", "p999", "max", ...GAUGES];
const PAST_AGENT = ["estat.agent.start", "estat.module.start", "estat.module.axes", "estat.layer.ops"];
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

/* The text for a metric's value; `units`: the metric's units, as PCP writes them. */
function asText(value, units) {
  if (typeof value !== "number") return value ?? "–";
  if (units === "nanosec" || units === "microsec") return latency(units === "nanosec" ? value / 1e3 : value);
  return String(value);
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
