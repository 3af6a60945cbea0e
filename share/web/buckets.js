/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buckets of histograms, and percentiles of their counts, as lib/histogram.c computes them. */

/* Each bucket that was ever seen, such as "400-500", has a number. low and high: the buckets' bounds, by number. */
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

/* The value of an axis, from an instance's name, in which the agent writes a blank as \040. */
const withBlanks = (value) => value.replaceAll("\\040", " ");

/* The upper bound of the highest bucket that was hit; if this bucket has no upper bound, its lower bound. */
function highest(counts) {
  const bounds = [...counts.keys()].map((n) => (Number.isFinite(buckets.high[n]) ? buckets.high[n] : buckets.low[n]));

  return bounds.length ? Math.max(...bounds) : NaN;
}

/*
 * The estimated latency of operation k of the bucket at[i], as within() in lib/histogram.c has it: `at` are the
 * buckets that have operations, sorted.
 */
function within(counts, at, i, k, most) {
  const [before, here, after] = [at[i - 1], at[i], at[i + 1]];
  const low = buckets.low[here];
  const isLast = !Number.isFinite(buckets.high[here]);
  const below = before !== undefined && buckets.high[before] === low;
  const above = after !== undefined && buckets.low[after] === buckets.high[here];
  let high = isLast ? most : buckets.high[here];

  if (!isLast && !below && !above) return low + (high - low) / 2;
  if (!isLast && !above && counts.get(before) >= 16) {
    const end = low + (counts.get(here) * (low - buckets.low[before])) / counts.get(before);

    high = Math.min(high, end);
  }
  high = Math.min(high, most);
  return high > low ? low + ((high - low) * k) / (counts.get(here) + 1) : low;
}

/* The latency that this share of operations did not exceed, as latency_percentile() in lib/histogram.c has it. */
function percentile(counts, share) {
  const at = [...counts.keys()].filter((n) => counts.get(n) > 0).sort((a, b) => buckets.low[a] - buckets.low[b]);
  const most = highest(counts);
  let left = Math.ceil(share * sum([...counts.values()]));

  for (const [i, n] of at.entries()) {
    if (left <= counts.get(n)) return Math.min(within(counts, at, i, left, most), most);
    left -= counts.get(n);
  }
  return NaN;
}
