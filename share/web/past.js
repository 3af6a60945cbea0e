/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host, in the past: samples by pmproxy's /series. */

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

  /* Load the chosen layer, in more steps than the overview has, and its keys. */
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
    const leaves = [...PAST.map((leaf) => "estat.*." + leaf), ...PAST_AGENT];
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

  /* Record the values of metrics at about `steps` times in the window. `leaves`: the metrics' names without estat. */
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
   * Of an instance that came after pmproxy had stored the domain, pmproxy stores the name for one metric only: the
   * first with a value of the instance. So all metrics of the module may be needed to find the name.
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

  /* The names of a layer's axes: from estat.module.axes, whose value pmproxy quotes; else from a key's labels. */
  async axes(layer) {
    const [sid] = this.sids.get("estat.module.axes") || [];
    const values = sid ? await ask("/series/values", { series: sid, samples: 1 }) : [];

    if (sid) await this.nameInstances(sid);
    const recorded = values.find(({ instance }) => this.instances.get(instance) === layer);

    if (recorded) return recorded.value.replaceAll('"', "").split("::");
    const [keys] = this.sids.get(`estat.${layer}.ops`) || [];
    const [first] = keys ? await ask("/series/instances", { series: keys }) : [];

    if (!first) return [];
    const [{ labels } = {}] = await ask("/series/labels", { series: first.instance });

    return first.name
      .split("::")
      .map((part) => Object.keys(labels || {}).find((l) => String(labels[l]) === withBlanks(part)));
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
