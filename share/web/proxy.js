/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks pmproxy. */

/* Refusal: pmproxy or pmcd reports an error. Silence: no answer came. */
class Refusal extends Error {}
class Silence extends Error {}

/*
 * Some of pmproxy's strings have escapes of C, which are no JSON: \xc3\xbc for ü. Make them JSON, and
 * decode the bytes of UTF-8. (In other strings pmproxy replaces each such byte by \uFFFD: the character is lost.)
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
