/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host, live: samples by pmproxy's /pmapi. */

/* The modules' states. Throws a Refusal if there is none: then the agent does not answer. */
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
    this.sampled = sample;
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

  /* The names of the axes of a metric estat.SERIES.LEAF; of an older agent, from the domain's help text. */
  axisNames(metric, help) {
    const axes = this.axes?.get(metric.replace(/^estat\.(.*)\.\w+$/, "$1"));

    return (axes ?? /: ([^:\s;]+(?:::[^:\s;]+)*)(?:;|$)/.exec(help || "")?.[1])?.split("::") || [];
  }

  /*
   * By module's name: true if a fetch of the module's metrics attaches the module; false for all modules of an older
   * agent, which lacks estat.module.on_demand. Sets this.axes, the names of the axes by series, from the values of
   * estat.module.axes: pmproxy's /pmapi does not give the labels of its instances.
   */
  async demanded() {
    const names = ["estat.module.status", "estat.module.on_demand", "estat.module.axes"].filter((name) => this.metrics.has(name));
    const { values } = await this.fetch(names);
    const onDemand = values.get("estat.module.on_demand");
    const axes = [...(values.get("estat.module.axes") || [])];

    this.axes = new Map(axes.map(([i, names]) => [this.instance("estat.module.axes", i)?.name, names]));

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

  /* A layer can be chosen before it has figures if its module runs and is attached on demand. */
  offers(layer) {
    return this.onDemand.get(this.moduleOf(layer)) && this.running.has(this.moduleOf(layer));
  }

  names() {
    const names = AGENT.map((leaf) => "estat." + leaf);
    const layers = [...this.layers.keys()].filter((name) => this.asksFor(name));

    for (const name of layers) names.push(...TOTALS.map((leaf) => `estat.${name}.total.${leaf}`));
    names.push(...BY_KEY.map((leaf) => `estat.${state.layer}.${leaf}`));
    /* The last records come first: one request fetches them, so all values of an instance are of the same record. */
    return [...this.lastNames(), ...names.filter((name) => this.metrics.has(name))];
  }

  /* The metrics of the last records of the chosen layer's module; none if the module has no such records. */
  lastNames() {
    const prefix = `estat.${this.moduleOf(state.layer)}.last.`;

    return this.metrics.has(prefix + "age") ? [...this.metrics.keys()].filter((name) => name.startsWith(prefix)) : [];
  }

  /* The disks whose operations a layer's totals have twice, or "". */
  twice(layer) {
    const texts = [...(this.sampled?.values.get("estat.layer.twice") || [])];

    return texts.find(([instance]) => this.instance("estat.layer.twice", instance)?.name === layer)?.[1] || "";
  }

  /* The last records, the newest first, as rows of texts, and the names of the columns. */
  last() {
    const names = this.sampled ? this.lastNames() : [];
    const values = (name) => this.sampled.values.get(name) || new Map();
    const ages = names.length ? [...values(names.find((name) => name.endsWith(".age")))] : [];

    return {
      columns: names.map((name) => name.replace(/.*\./, "").replaceAll("_", " ")),
      rows: ages
        .sort(([, a], [, b]) => a - b)
        .map(([place]) => names.map((name) => asText(values(name).get(place), this.metrics.get(name).units))),
    };
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

  /* Ask for the names of instances if the name of an instance is not known yet. */
  async nameInstances(values) {
    for (const [name, instances] of values) {
      const indom = this.metrics.get(name)?.indom;

      if (!indom || [...instances.keys()].every((i) => this.instance(name, i))) continue;
      const reply = await this.request("indom", { indom });

      this.indoms.set(indom, {
        axes: this.axisNames(name, reply["text-oneline"]),
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
