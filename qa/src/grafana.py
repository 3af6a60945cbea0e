# SPDX-License-Identifier: GPL-2.0-or-later
"""Ask what Grafana would ask for dashboards, and look at what it would draw.

usage: grafana [-s NAME=VALUE]... [-b COMMAND] [-r] URL DASHBOARD...

The data sources are those of performancecopilot-pcp-app 6.1 (PCP Vector, PCP Valkey: URL is
pmproxy's) and Prometheus. All queries of a dashboard are sent as these send them, template
variables and derived metrics included; to what comes back their documented rules are applied,
then Grafana's transformations, then those by which a panel makes rows of fields.

  -s  the value of a variable; one without has the first value that its query finds
  -b  run COMMAND before each poll of PCP Vector, with the poll's number from 1 on
  -r  print the rows of the heat maps that have something in them

It prints for each dashboard how many panels have data, and what is wrong: queries that are
refused, heat maps with two rows of one name, or rows out of order.
"""

import argparse
import hashlib
import http.client
import json
import math
import re
import subprocess
import sys
import time
import urllib.parse

POLLS = 4
PAUSE = 0.2  # seconds between them
MISSING = None


class Refused(Exception):
    """A server that refuses a request, or has nothing for it where that is an error."""


def get(url, **parameters):
    """What a server answers to a GET, or to a POST where that would be longer than the plug-in lets
    it. pmproxy 6.0 refuses a URL that it has not read at once, as one of just that length; that
    error is let pass here.
    """
    query = urllib.parse.urlencode(parameters)
    status, text = ask(url, query, 8192)
    if status == 400 and "no handler for URL" in text:
        status, text = ask(url, query, 0)
    if status == 200:
        return json.loads(text)
    try:
        message = json.loads(text)
        text = message.get("message") or message.get("error")
    except ValueError:
        pass
    raise Refused(f"{urllib.parse.urlsplit(url).path}: {text}")


def ask(url, query, limit):
    """Status and text. The connection is to be kept, as Grafana has it: of one that is not, pmproxy
    6.0 leaves out the end.
    """
    place = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(place.netloc, timeout=60)
    if len(url) + 1 + len(query) < limit:
        connection.request("GET", f"{place.path}?{query}")
    else:
        connection.request("POST", place.path, query)
    answer = connection.getresponse()
    text = answer.read().decode(errors="replace")
    connection.close()
    return answer.status, text


class Field:
    """A column: its name, what the data source has it shown as, its labels and values."""

    def __init__(self, name, shown, labels, values):
        self.name, self.shown, self.labels, self.values = name, shown, labels, values

    def title(self):
        """calculateFieldDisplayName: the name and, unless there is another, the labels"""
        if self.shown:
            return self.shown
        labels = ", ".join(f'{k}="{v}"' for k, v in sorted(self.labels.items()))
        return f"{self.name} {{{labels}}}" if labels else self.name


class Frame:
    """A table: points in time, and fields that have a value for each."""

    def __init__(self, times, fields):
        self.times, self.fields = times, fields


def interpolate(text, variables):
    """Put values into a text: ${name:format}, ${name} and $name, as the template service does"""

    def value(match):
        name, style = match.group(1) or match.group(3), match.group(2)
        if name not in variables:
            return match.group(0)
        if style == ":regex":
            return re.sub(r"[\\^$*+?.()|\[\]{}/]", r"\\\g<0>", variables[name])
        return variables[name]

    return re.sub(r"\$\{(\w+)(:\w+)?\}|\$(\w+)", value, text)


def shown_in_heat_map(instance):
    """The plug-in's rule for format heatmap: what is after the first dash"""
    match = re.fullmatch(r"(.+?)-(.+?)", instance or "")
    return match.group(2) if match else "0-0"


def rates(times, values):
    """The plug-in's rate of a counter; the first one is not known"""
    result = [MISSING]
    for i in range(1, len(values)):
        seconds = times[i] - times[i - 1]
        if MISSING in (values[i], values[i - 1]) or seconds <= 0 or values[i] < values[i - 1]:
            result.append(MISSING)
        else:
            result.append((values[i] - values[i - 1]) / seconds)
    return result


def columns(snapshots):
    """Times and, by instance, values; a value that is not there is missing"""
    times, fields = [], {}
    for when, values in snapshots:
        for instance, value in values:
            column = fields.setdefault(instance, [])
            column += [MISSING] * (len(times) - len(column))
            if len(column) == len(times):
                column.append(value)
        times.append(when)
        for column in fields.values():
            column += [MISSING] * (len(times) - len(column))
    return times, fields


def pcp_frame(target, metric, instances, labels, snapshots):
    """What both of the plug-in's data sources make of the values of a metric"""
    times, by_instance = columns(snapshots)
    fields = []
    for instance, values in by_instance.items():
        name = instances.get(instance, "")
        of_field = {**labels, **getattr(instances, "labels", {}).get(instance, {})}
        if metric["semantics"] == "counter":
            values = rates(times, values)
        if target["format"] == "heatmap":
            shown = shown_in_heat_map(name)
        else:
            words = {
                **of_field,
                "expr": target["expr"],
                "metric": metric["name"],
                "metric0": metric["name"].split(".")[-1],
                "instance": name or "$instance",
            }
            shown = interpolate(target.get("legendFormat", ""), words)
        fields.append(Field(f"{metric['name']}[{name}]", shown, of_field, values))
    if target["format"] == "heatmap":
        times = [math.floor(when) for when in times]
    return Frame(times, fields)


class Instances(dict):
    """Names by instance, and labels"""

    def __init__(self):
        super().__init__()
        self.labels = {}


class Vector:
    """PCP Vector: a context, polled for all of a dashboard's metrics at once"""

    def __init__(self, url, command):
        self.url, self.command = url, command

    def options(self, _query):
        raise Refused("PCP Vector has no variables of queries")

    def request(self, what, **parameters):
        return get(f"{self.url}/pmapi/{what}", context=self.context, **parameters)

    def metric_of(self, expression):
        """A target's metric: one by that name, or one that is derived"""
        if re.fullmatch(r"[a-zA-Z]\w*(\.[a-zA-Z]\w+)*", expression):
            return expression
        name = "derived_" + hashlib.md5(expression.encode()).hexdigest()
        try:
            self.request("derive", name=name, expr=expression)
        except Refused as refusal:
            if "Duplicate" not in str(refusal):
                raise
        return name

    def poll(self, metrics):
        """Fetch them, a few times: names to descriptions, instances and snapshots"""
        found = {}
        for one in self.request("metric", names=",".join(metrics))["metrics"]:
            if one.get("success", True):
                found[one["name"]] = {**one, "semantics": one["sem"], "snapshots": []}
                found[one["name"]]["instances"] = Instances()
        for number in range(1, POLLS + 1):
            if self.command:
                subprocess.run(["sh", "-c", f"{self.command} {number}"], check=True)
            else:
                time.sleep(PAUSE)
            answer = self.request("fetch", names=",".join(found))
            for one in answer["values"]:
                self.take(found[one["name"]], answer["timestamp"], one["instances"])
        return found

    def take(self, metric, when, values):
        """A metric's values of a poll"""
        known = metric["instances"]
        if metric.get("indom") and any(v["instance"] not in known for v in values):
            for one in self.request("indom", name=metric["name"])["instances"]:
                known[one["instance"]] = one["name"]
                known.labels[one["instance"]] = one["labels"]
        metric["snapshots"].append((when, [(v.get("instance"), v["value"]) for v in values]))

    def panels(self, panels, variables):
        """For each panel its frames, or why there are none"""
        host = interpolate("$host", variables).replace("$host", "")
        self.context = get(f"{self.url}/pmapi/context", hostspec=host or "local:", polltimeout=600)["context"]
        asked, results = [], []
        for panel in panels:
            try:
                targets = [{**t, "expr": interpolate(t["expr"], variables)} for t in panel["targets"]]
                asked.append([(t, self.metric_of(t["expr"])) for t in targets])
            except Refused as refusal:
                asked.append(refusal)
        names = {name for one in asked if isinstance(one, list) for _, name in one}
        found = self.poll(names)
        for one in asked:
            if isinstance(one, Refused):
                results.append(one)
                continue
            frames = []
            for name in {name for _, name in one} - found.keys():
                results.append(Refused(f"there is no metric {name}"))
                break
            else:
                results.append(self.frames(one, found))
        return results

    @staticmethod
    def frames(targets, found):
        """Of a panel's targets, each with its metric's name"""
        frames = []
        for target, name in targets:
            metric = found[name]
            frame = pcp_frame(target, metric, metric["instances"], metric["labels"], metric["snapshots"])
            if frame.fields:
                frames.append(frame)
        return frames


class OneByOne:
    """A data source that is asked for each target of a panel by itself"""

    def panels(self, panels, variables):
        results = []
        for panel in panels:
            try:
                results.append([f for t in panel["targets"] for f in self.frames(t, variables)])
            except Refused as refusal:
                results.append(refusal)
        return results


class Valkey(OneByOne):
    """PCP Valkey: the series that a query finds, of the last minutes"""

    def __init__(self, url, _command):
        self.url = url

    def request(self, what, **parameters):
        return get(f"{self.url}/series/{what}", **parameters)

    def options(self, query):
        label = re.fullmatch(r"label_values\(\s*([\w.]+)\s*\)", query).group(1)
        return [str(value) for value in self.request("labels", names=label).get(label, [])]

    def frames(self, target, variables):
        target = {**target, "expr": interpolate(target["expr"], variables)}
        series = self.request("query", expr=target["expr"])
        if not series:
            return []
        ids = ",".join(series)
        names = {one["series"]: one["name"] for one in self.request("metrics", series=ids)}
        now = int(time.time())
        values = self.request("values", series=ids, start=now - 600, finish=now + 60, interval=0)
        frames = []
        for one in self.request("descs", series=ids):
            metric = {"name": names[one["series"]], "semantics": one["semantics"]}
            snapshots, instances = {}, self.instances(one)
            for value in values:
                if value["series"] == one["series"]:
                    point = snapshots.setdefault(value["timestamp"] / 1000, [])
                    point.append((value.get("instance"), float(value["value"])))
            frame = pcp_frame(target, metric, instances, {}, sorted(snapshots.items(), key=lambda s: s[0]))
            if frame.fields:
                frames.append(frame)
        return frames

    def instances(self, series):
        found = Instances()
        if series["indom"] == "none":
            return found
        for one in self.request("instances", series=series["series"]):
            found[one["instance"]] = one["name"]
        if found:
            for one in self.request("labels", series=",".join(found)):
                found.labels[one["series"]] = one["labels"]
        return found


class Prometheus(OneByOne):
    """Prometheus: a range of the last minute, each second"""

    def __init__(self, url, _command):
        self.url = url

    def options(self, query):
        matcher, label = re.fullmatch(r"label_values\((.*), (\w+)\)", query).groups()
        return get(f"{self.url}/api/v1/label/{label}/values", **{"match[]": matcher})["data"]

    def frames(self, target, variables):
        now = int(time.time())
        expression = interpolate(target["expr"], {k: self.escaped(v) for k, v in variables.items()})
        answer = get(f"{self.url}/api/v1/query_range", query=expression, start=now - 60, end=now, step=1)
        frames = []
        for one in answer["data"]["result"]:
            words = re.sub(r"\{\{(\w+)\}\}", lambda m, o=one: o["metric"].get(m.group(1), ""), target["legendFormat"])
            values = [float(v) for _, v in one["values"]]
            values = [MISSING if math.isnan(v) else v for v in values]
            frames.append(Frame([when for when, _ in one["values"]], [Field("Value", words, one["metric"], values)]))
        if target.get("format") == "heatmap":
            self.take_apart(frames)
        return frames

    @staticmethod
    def escaped(value):
        """How Grafana puts a value that was chosen into a matcher"""
        if value == ".*":
            return value
        return re.sub(r"[$^*{}\[\]'+?.()|]", r"\\\\\g<0>", value.replace("\\", "\\" * 4))

    @staticmethod
    def take_apart(frames):
        """Format heatmap: by upper bound, less what is below"""
        frames.sort(key=lambda f: float(f.fields[0].shown))
        points = [dict(zip(f.times, f.fields[0].values)) for f in frames]
        for above in range(len(frames) - 1, 0, -1):
            frame = frames[above]
            frame.fields[0].values = [
                MISSING if MISSING in (v, points[above - 1].get(t)) else max(v - points[above - 1][t], 0)
                for t, v in zip(frame.times, frame.fields[0].values)
            ]


SOURCES = {
    "performancecopilot-vector-datasource": Vector,
    "performancecopilot-valkey-datasource": Valkey,
    "prometheus": Prometheus,
}


def transform(frames, transformations, variables):
    """Grafana's transformations, as far as the dashboards use them"""
    for one in transformations:
        options = json.loads(interpolate(json.dumps(one["options"]), variables))
        for frame in frames:
            if one["id"] == "filterFieldsByName":
                pattern = re.compile(f"^{options['include']['pattern']}$")
                if not pattern.search("Time") or not pattern.search("time"):
                    raise Refused("the filter takes the time away")
                frame.fields = [f for f in frame.fields if pattern.search(f.title())]
            elif one["id"] == "renameByRegex":
                pattern = re.compile(f"^{options['regex']}$")
                new = re.sub(r"\$(\d)", r"\\\1", options["renamePattern"])
                for field in frame.fields:
                    field.shown = pattern.sub(new, field.title())
            else:
                raise Refused(f"unknown transformation {one['id']}")
    return [frame for frame in frames if frame.fields]


def number(name):
    """Grafana's parseSampleValue; NaN if it is none"""
    if re.fullmatch(r"[+-]?inf(inity)?", name, re.IGNORECASE):
        return -math.inf if name[0] == "-" else math.inf
    match = re.match(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", name, re.IGNORECASE)
    return float(match.group(0)) if match else math.nan


def rows_of(frames):
    """A heat map's rows from the lowest to the highest: sorted if all names are numbers"""
    fields = [field for frame in frames for field in frame.fields]
    bounds = [number(field.title()) for field in fields]
    if not any(math.isnan(bound) for bound in bounds):
        fields.sort(key=lambda field: number(field.title()))
    return fields


def look_at_heat_map(panel, frames):
    """What is wrong with its rows"""
    names = [field.title() for field in rows_of(frames)]
    bounds = [number(name) for name in names]
    if any(math.isnan(bound) or str(bound) == "nan" for bound in bounds):
        yield "rows without an upper bound: " + " ".join(names)
    elif any(low >= high for low, high in zip(bounds, bounds[1:])):
        yield "rows that are twice, or out of order: " + " ".join(names)
    if panel["datasource"]["type"] != "prometheus":
        for frame in frames:
            if any(field.values[0] is not MISSING for field in frame.fields):
                yield "a first value is no rate"


def has_data(frames):
    return any(value is not MISSING for frame in frames for field in frame.fields for value in field.values)


def values_of(dashboard, source, given):
    """The variables' values; the first that a query finds, all where that is a choice"""
    values = {"__rate_interval": "20s"}  # four scrapes, as Grafana has it
    for variable in dashboard["templating"]["list"]:
        name, kind = variable["name"], variable["type"]
        if name in given:
            values[name] = given[name]
        elif kind == "query":
            found = source.options(variable["query"])
            if not found:
                print(f"{dashboard['uid']}: variable {name} has no value")
            values[name] = variable.get("allValue") or (found or [""])[0]
        elif kind != "datasource":
            values[name] = variable["current"]["value"]
    return values


def look_at(path, url, given, command, show_rows):
    """Ask for a dashboard's panels, and print what they have"""
    with open(path, encoding="utf-8") as file:
        dashboard = json.load(file)
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    source = SOURCES[panels[0]["datasource"]["type"]](url, command)
    variables = values_of(dashboard, source, given)
    full = []
    for panel, frames in zip(panels, source.panels(panels, variables)):
        title = interpolate(panel["title"], variables)
        try:
            if isinstance(frames, Refused):
                raise frames
            frames = transform(frames, panel["transformations"], variables)
            if panel["type"] == "heatmap" and frames:
                for problem in look_at_heat_map(panel, frames):
                    print(f"{dashboard['uid']}, {title}: {problem}")
                if show_rows:
                    rows = [row.title() for row in rows_of(frames) if any(row.values)]
                    print(f"{title}: {' '.join(rows)}")
            if has_data(frames):
                full.append(title)
        except Refused as refusal:
            print(f"{dashboard['uid']}, {title}: {refusal}")
    print(f"{dashboard['uid']}: {len(panels)} panels, {len(full)} with data")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-s", action="append", default=[])
    parser.add_argument("-b")
    parser.add_argument("-r", action="store_true")
    parser.add_argument("url")
    parser.add_argument("dashboard", nargs="+")
    options = parser.parse_args()
    given = dict(one.split("=", 1) for one in options.s)
    for path in options.dashboard:
        look_at(path, options.url, given, options.b, options.r)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    main()
