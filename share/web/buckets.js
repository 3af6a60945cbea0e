/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buckets of histograms. */

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
