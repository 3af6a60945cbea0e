/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heat map: time from left to right, latency upwards, colour by operations a second. */

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
