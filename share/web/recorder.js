/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes periods and rows from samples of layers. */

/*
 * A layer is a prefix P with a histogram P.latency: estat.zio, estat.zio.vdev. The layer's metrics have
 * their names below P by key, and below P.total over all keys. `ranks`: the rank, by name, of each layer
 * that is declared as one of the stack. A module's other layers follow its topmost layer of the stack.
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

/* Order of layers: by rank; of equal ranks those of the stack first; then by PMID. */
function byRank(a, b) {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.further !== b.further) return a.further - b.further;
  return a.numbers[1] - b.numbers[1] || a.numbers[2] - b.numbers[2] || a.name.localeCompare(b.name, "en");
}

/*
 * A key's axes and values. `names` are the axes, and the instance's name has the values in the same order. If
 * pmproxy has labels of the instance, they are used, because a value can contain ::.
 */
function axesOf(name, names, labels = {}) {
  const parts = keyOf(name).split("::");

  if (names.length && names.every((axis) => axis in labels)) return names.map((axis) => [axis, String(labels[axis])]);
  while (names.length && parts.length > names.length) parts.splice(0, 2, parts.slice(0, 2).join("::"));
  return parts.map((part, i) => [names[i] || `axis ${i + 1}`, withBlanks(part)]);
}

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
 * without instances has one value, at null. A row is of the last period or, with `summed`, of all periods.
 */
class Recorder {
  constructor(layers, layer, { instants = false, summed = false }) {
    this.layers = layers;
    this.layer = layer;
    this.instants = instants; // samples have the agent's percentiles, over the same periods
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

  /* Forget the last counters of a layer that the page does not fetch now: its next period begins at a later fetch. */
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

  /* True if the agent, or any module, has started again since the previous sample. */
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
    if (this.instants) for (const leaf of GAUGES) row[leaf] = this.value(p + leaf);
    row.worked = ops !== 0 || row.oldest > 0 || this.latest.get(layer.name)?.worked;
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
    for (const leaf of this.instants ? GAUGES : []) {
      for (const instance of this.now.values.get(p + leaf)?.keys() || []) {
        const row = rowOf(p + leaf, instance);

        if (row) row[leaf] = this.value(p + leaf, instance);
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

/* Add the growth `more` to a row; without a row, make one of `more`. */
function added(row, more) {
  if (!row) return { ...more, counts: new Map(more.counts) };
  for (const leaf of ["seconds", "ops", "bytes", "errors", "latency_sum"]) row[leaf] += more[leaf];
  for (const [bucket, by] of more.counts) row.counts.set(bucket, (row.counts.get(bucket) || 0) + by);
  row.worked ||= more.worked;
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
