"""PAJE FOLDER WHAT NAME TRACE ROWS [WHAT NAME TRACE ROWS]...: the data of a page of `paje html` beside the tables of
`paje csv`.  WHAT is
  exact   each entity is there, and no other
  binned  counts and times of each value, which bins sum up, and times within each bin
  flat    the same, where only the innermost of nested states are told apart
  links   links that are summed up: how many, and their mean times, from and to each container
  shared  counts of each value, and the time of the bottom states: containers share rows
  any     exact, or shared if containers share rows
  names   of hostile names"""
import collections
import html.parser
import json
import math
import sys

from cases import case, characters, run, table
import cases

tool, folder, *tests = sys.argv[1:]
DEPTHS = 8  # of states; deeper ones are not shown as such


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.scripts, self.tags, self.text = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "script":
            self.scripts.append(dict(attributes))

    def handle_data(self, text):
        if self.tags[-1:] == ["script"] and len(self.scripts) == 1:
            self.text += text


def data_of(text):
    page = Page()
    page.feed(text)
    assert page.scripts == [{"type": "application/json", "id": "data"}, {}], page.scripts
    return json.loads(page.text)


class Held:
    """What the page holds: `entities`, and `sums` of (kind, value, "count" or "time")."""

    def __init__(self, data):
        types, values = data["types"], data["values"]
        self.entities, self.sums = collections.Counter(), collections.Counter()
        self.shared = self.binned = False
        for _, name, _, members, _, _, lanes, *_ in data["nodes"]:
            name = name.split(" / ")[-1]
            self.shared |= members > 1
            for kind, type_, depth, entities, bins, *_ in lanes:
                self.binned |= bool(bins)
                for one in entities:
                    value = values[one[1 if kind == "event" else 2]] if kind != "variable" else [0, ""]
                    if kind == "state":
                        self.entities["State", name, types[type_][0], one[0], one[1], depth, value[1]] += 1
                    elif kind == "event":
                        self.entities["Event", name, types[value[0]][0], one[0], value[1]] += 1
                    else:
                        self.entities["Variable", name, types[type_][0], *one] += 1
                    self.sums[kind, value[1], "count"] += one[4] if kind == "state" and members > 1 else 1
                    if kind == "state":
                        self.sums[kind, value[1], "time"] += one[3] if members > 1 else one[1] - one[0]
                for one in bins:
                    value = values[one[1]][1] if kind != "variable" else ""
                    self.sums[kind, value, "count"] += one[-1]
                    if kind == "state":
                        self.sums[kind, value, "time"] += one[2]


class Told:
    """Sums of the trace; `bottom`: the time of all bottom states."""

    def __init__(self):
        self.entities, self.sums, self.bottom = collections.Counter(), collections.Counter(), 0
        for r in map(characters, table(folder, "states")):
            start, end, depth = float(r["Start"]), float(r["End"]), int(r["Imbrication"])
            if depth < DEPTHS and end >= start:  # time may go back
                self.entities["State", last(r), r["Type"], start, end, depth, r["Value"]] += 1
            self.sums["state", r["Value"], "count"] += 1
            self.sums["state", r["Value"], "time"] += end - start
            self.bottom += end - start if depth == 0 else 0
        for r in map(characters, table(folder, "events")):
            self.entities["Event", last(r), r["Type"], float(r["Time"]), r["Value"]] += 1
            self.sums["event", r["Value"], "count"] += 1
        variables = list(map(characters, table(folder, "variables")))
        told = {r["TypeAlias"] for r in variables if float(r["Value"]) != 0}  # those that are 0 throughout are left out
        for r in variables:
            if r["TypeAlias"] in told:
                start, end = float(r["Start"]), float(r["End"])
                self.entities["Variable", last(r), r["Type"], start, max(start, end), float(r["Value"])] += 1
                self.sums["variable", "", "count"] += 1


def last(row):
    """The name of the container, which holds no slash here; that of the root is not shown."""
    return row["Container"].split("/")[-1]


def near(got, expected):
    return abs(got - expected) <= 1e-4 * abs(expected)


def spread(times, key, start, end, width, sign=1):
    """Adds to each bin how much of it a span of time covers."""
    at = math.floor(start / width)
    while at * width < end:
        times[key + (at,)] += sign * (min(end, (at + 1) * width) - max(start, at * width))
        at += 1


def held_times(data):
    """The time of states by container, type, value and bin."""
    times = collections.Counter()
    for _, name, _, _, _, _, lanes, *_ in data["nodes"]:
        for kind, type_, depth, entities, bins, *_ in lanes:
            key = lambda one: (name.split(" / ")[-1], data["types"][type_][0], data["values"][one][1])
            if kind != "state" or depth >= DEPTHS:
                continue
            for start, end, value, *_ in entities:
                spread(times, key(value), start, end, data["bin"])
            for at, value, time, _ in bins:
                times[key(value) + (at,)] += time
    return times


def told_times(width, is_flat):
    states = [(last(r), r["Type"], float(r["Start"]), int(r["Imbrication"]), float(r["End"]), r["Value"])
              for r in map(characters, table(folder, "states"))]
    times, outer = collections.Counter(), {}
    for container, type_, start, depth, end, value in sorted(states):
        outer[container, type_, depth] = value
        if depth < DEPTHS or is_flat:
            spread(times, (container, type_, value), start, end, width)
        if is_flat and depth > 0:
            spread(times, (container, type_, outer[container, type_, depth - 1]), start, end, width, -1)
    return times


def check_times(data):
    held, told = held_times(data), told_times(data["bin"], what == "flat")
    width = data["bin"]
    assert math.frexp(width)[0] == 0.5 and max(key[3] for key in told) > 100, width
    for key in held.keys() | told.keys():
        assert abs(held[key] - told[key]) <= 1e-3 * width + 1e-4 * abs(told[key]), (key, held[key], told[key], width)


def check_links(data):
    held, told = collections.defaultdict(list), collections.defaultdict(list)
    names = [node[1].split(" / ")[-1] for node in data["nodes"]]
    for from_, to, type_, value, start, end, count, *_ in data["links"]:
        held[names[from_], names[to], data["types"][type_][0]].append((count, start, end))
    for r in map(characters, table(folder, "links")):
        told[r["From"].split("/")[-1], r["To"].split("/")[-1], r["Type"]].append(
            (1, float(r["Start"]), float(r["End"])))
    assert held.keys() == told.keys() and sum(map(len, held.values())) < sum(map(len, told.values()))
    for key in told:
        count, number = sum(one[0] for one in held[key]), len(told[key])
        assert count == number, (key, count, number)
        for i in 1, 2:
            assert near(sum(one[0] * one[i] for one in held[key]), sum(one[i] for one in told[key])), key


for what, name, trace, rows in zip(*(tests[i::4] for i in range(4))):
    @case(name)
    def _():
        data = data_of(run(tool, "html", "--rows", rows, trace).stdout.decode("utf-8"))
        if what == "names":
            names = [value[1] for value in data["values"]]
            assert {"</script><script>alert(1)</script>", "<b>&amp;</b>", "]]>"} <= set(names), names
            return
        run(tool, "csv", "-d", folder, trace)
        held, told = Held(data), Told()
        if what == "exact" or (what == "any" and not held.shared):
            assert not held.shared and not held.binned
            assert held.entities == told.entities, (list(told.entities - held.entities)[:2],
                                                    list(held.entities - told.entities)[:2])
            return
        if what == "links":
            check_links(data)
            return
        assert held.shared or held.binned
        if what in ("binned", "flat"):
            check_times(data)
        for key, expected in told.sums.items():
            # Where containers share rows, time is that of the innermost states, and there may be no room for others.
            if what == "binned" or (key[2] == "count" and (what == "flat" or key[0] == "state")):
                assert near(held.sums[key], expected), (key, held.sums[key], expected)
        if what not in ("binned", "flat"):
            time = sum(held.sums[key] for key in held.sums if key[0] == "state" and key[2] == "time")
            assert near(time, told.bottom), (time, told.bottom)

sys.exit(cases.failed)
