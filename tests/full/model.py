#!/usr/bin/env python3
"""Compares what the commands tell of random traces with a model that reads no trace: it knows what it has written.
usage: tests/full/model.py [-s SEED] [-n TRACES] [PAJE]

Of each trace, with random filters and with or without an index: the tables of csv, the rows of profile, the bins and
percentiles of histogram, the pairs of matrix, the slices, the areas of platform --treemap, diff with itself, and at, at
instants also before 0.  Times are multiples of 1/8, so that doubles are exact.  100 traces take some seconds.  Prints
what differs."""
import argparse
import csv
import fnmatch
import io
import math
import os
import random
import shutil
import subprocess
import xml.etree.ElementTree

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
with open(os.path.join(TOP, "tests", "tool", "header.trace")) as opened:
    HEAD = opened.read()

TYPES = """0 H 0 Host\n0 P H Proc\n1 S P State\n1 T H HostState\n2 E P Event\n3 V P Var "1 0 0"\n3 W H HostVar "1 0 0"
4 L 0 P P Link\n4 M 0 H H HostLink\n4 N H P P Inner\n5 a S A "1 0 0"\n5 b S B "0 1 0"\n5 c T C "0 1 0"\n5 e E ev "0 1 0"
5 f E "e f" "0 1 0"\n5 l L msg "0 1 0"\n5 l M msg "0 1 0"\n5 l N msg "0 1 0"\n"""
NAMES = dict(H="Host", P="Proc", S="State", T="HostState", E="Event", V="Var", W="HostVar", L="Link", M="HostLink",
             N="Inner")
TABLES = {"State": "states", "Event": "events", "Variable": "variables", "Link": "links"}
VALUES = {"S": {"a": "A", "b": "B", "z": "z"}, "T": {"c": "C"}, "E": {"e": "ev", "f": "e f"}}
paje, failed = None, 0


def begin(name, count):
    """Reads the arguments and goes to a new folder.  Returns the numbers of the traces."""
    global paje
    parser = argparse.ArgumentParser()
    parser.add_argument("-s", type=int, default=1)
    parser.add_argument("-n", type=int, default=count)
    parser.add_argument("paje", nargs="?", default=os.path.join(TOP, "build", "paje"))
    arguments = parser.parse_args()
    paje = os.path.abspath(arguments.paje)
    folder = os.path.join(TOP, "build", name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chdir(folder)
    return range(arguments.s, arguments.s + arguments.n)


def tell(seed, *what):
    global failed
    failed += 1
    print("FAIL trace %d:" % seed, *what, flush=True)


def run(*words):
    got = subprocess.run([paje, *words], capture_output=True, timeout=60)
    if got.returncode:
        tell(-1, words, got.returncode, got.stderr[-200:])
    return got.stdout.decode()


def table(*words):
    return list(csv.DictReader(io.StringIO(run(*words))))


class Entity:
    def __init__(self, kind, type, container, start, value=None, **more):
        self.kind, self.type, self.container, self.value = kind, type, container, value
        self.start, self.end = start, None
        self.inner = []  # states directly above
        self.__dict__.update(more)


class Trace:
    """Entities in `all` when they are complete; containers are named as they are aliased."""

    def __init__(self, seed):
        draw = self.draw = random.Random(seed)
        self.time, self.last = draw.choice([0, -50, 1000000]) * 1.0, 0
        self.lines, self.all, self.parent, self.alive = [HEAD, TYPES], [], {}, {}
        self.stacks, self.variables, self.links, self.count = {}, {}, {}, 0
        for _ in range(draw.choice([40, 120, 200])):
            if draw.random() < 0.7:
                self.time += draw.choice([0, 0.125, 0.5, 1, 3.25, 20])
            self.step()
        self.time = self.last
        for host in self.of("H"):
            self.destroy(host)
        with open("t.trace", "w") as out:
            out.writelines(self.lines)

    def write(self, *fields):
        self.last = self.time
        self.lines.append("%s %.3f %s\n" % (fields[0], self.time, " ".join(map(str, fields[1:]))))

    def of(self, type):
        return [c for c, it in self.alive.items() if it.type == type]

    def path(self, c):
        return "/" if c == "0" else self.path(self.parent[c]).rstrip("/") + "/" + c

    def above(self, c):
        return [c] if c == "0" else [c] + self.above(self.parent[c])

    def create(self, type, parent):
        name = type.lower() + str(len(self.parent))
        self.parent[name] = parent
        self.alive[name] = Entity("Container", type, name, self.time)
        self.write(6, name, type, parent, name, 0)

    def close(self, entity):
        entity.end = self.time
        self.all.append(entity)

    def destroy(self, c):
        for (owner, _), stack in self.stacks.items():
            while owner == c and stack:
                self.close(stack.pop())
        for key in [key for key in self.variables if key[0] == c]:
            self.close(self.variables.pop(key))
        for child in [child for child in self.alive if self.parent[child] == c]:
            self.destroy(child)
        self.close(self.alive.pop(c))

    def step(self):
        draw, hosts, procs = self.draw, self.of("H"), self.of("P")
        what = draw.random()
        if not hosts or (what < 0.05 and len(hosts) < 5):
            return self.create("H", "0")
        if not procs or (what < 0.12 and len(procs) < 8):
            return self.create("P", draw.choice(hosts))
        owner = {"H": draw.choice(hosts), "P": draw.choice(procs)}
        if what < 0.45:
            self.change_state(draw.choice("SST"), owner)
        elif what < 0.57:
            self.change_variable(draw.choice("VVW"), owner)
        elif what < 0.65:
            value = draw.choice("ef")
            self.write(30, "E", owner["P"], value, "pay", 3)
            self.close(Entity("Event", "E", owner["P"], self.time, VALUES["E"][value]))
        elif what < 0.97:
            self.change_link(draw.choice("LLMN"), owner)
        else:
            type = draw.choice("HP")
            if len(self.of(type)) > 1:
                self.write(7, type, owner[type])
                self.destroy(owner[type])

    def change_state(self, type, owner):
        c, how = owner["H" if type == "T" else "P"], self.draw.random()
        stack, value = self.stacks.setdefault((c, type), []), self.draw.choice(list(VALUES[type]))
        if 0.6 < how < 0.95 and not stack:
            return
        while stack and how > 0.4:
            self.close(stack.pop())
            if 0.6 < how < 0.95:
                break
        if how <= 0.6:
            state = Entity("State", type, c, self.time, VALUES[type][value], depth=len(stack))
            if stack:
                stack[-1].inner.append(state)
            stack.append(state)
        self.write(*([11, type, c, value, "w", 3] if how <= 0.4 else [10, type, c, value, "m"] if how <= 0.6 else
                     [12, type, c, "w"] if how < 0.95 else [13, type, c, "z"]))

    def change_variable(self, type, owner):
        c, by = owner["H" if type == "W" else "P"], self.draw.choice([0, 1, -2, 3.5, 100])
        before, adds = self.variables.get((c, type)), self.draw.random() < 0.5
        if adds and not before:
            return
        number = before.number + by if adds else by
        if before and before.start == self.time:
            before.number = number
        else:
            if before:
                self.close(before)
            self.variables[c, type] = Entity("Variable", type, c, self.time, "", number=number)
        self.write(21 if adds else 20, type, c, by, *(["w"] if adds else []))

    def change_link(self, type, owner):
        draw, end = self.draw, owner["H" if type == "M" else "P"]
        waiting = [key for key, link in self.links.items()
                   if link.type == type and (link.container == "0" or link.container in self.alive)]
        if waiting and draw.random() < 0.55:
            link = self.links.pop(draw.choice(waiting))
            starts = not link.starts
            link.ends = (end, link.first) if starts else (link.first, end)
            link.start, link.end = (self.time, link.start) if starts else (link.start, self.time)
            self.all.append(link)
        else:
            self.count += 1
            starts = draw.random() < 0.8
            link = Entity("Link", type, owner["H"] if type == "N" else "0", self.time, "msg", key="k%d" % self.count,
                          size=draw.randrange(1000), starts=starts, first=end)
            self.links[link.key] = link
        self.write(40 if starts else 41, type, link.container, end, "l", link.key, link.size if starts else "t")


class Filter:
    def __init__(self, trace, draw):
        self.trace, self.start, self.end, self.container, self.type = trace, None, None, None, None
        first, last = min(e.start for e in trace.all), trace.last
        if draw.random() < 0.6:
            self.start = int(4 * (first + (last - first) * draw.uniform(-0.2, 1.1))) / 4
        if draw.random() < 0.5:
            self.end = (first if self.start is None else self.start) + 0.25 + int((last - first) * draw.random())
        if draw.random() < 0.3:
            self.container = draw.choice(["p*", "h0", "h*", "[hp]?", "p1"])
        if draw.random() < 0.3:
            self.type = draw.choice(["State", "S", "L", "*Var", "[LE]*"])
        given = [("start", self.start), ("end", self.end), ("container", self.container), ("type", self.type)]
        self.words = ["-z"] + ["--%s=%s" % pair for pair in given if pair[1] is not None]

    def within(self, c):
        return self.container is None or any(fnmatch.fnmatchcase(a, self.container)
                                             for a in self.trace.above(c) if a != "0")

    def keeps(self, e):
        return ((self.start is None or e.end >= self.start) and (self.end is None or e.start <= self.end) and
                (self.type is None or any(fnmatch.fnmatchcase(n, self.type) for n in (e.type, NAMES[e.type]))) and
                (self.within(e.container) or (e.kind == "Link" and any(map(self.within, e.ends)))))

    def length(self, e, start=None, end=None):
        if e.end < e.start:
            return e.end - e.start
        low, high = [e.start, self.start, start], [e.end, self.end, end]
        return max(0, min(x for x in high if x is not None) - max(x for x in low if x is not None))

    def exclusive(self, e, *slice):
        return self.length(e, *slice) - sum(self.length(i, *slice) for i in e.inner)


def near(text, number):
    return abs(float(text or 0) - number) <= 1e-9 * max(1, abs(number))


def same(seed, what, got, expected):
    if sorted(got) != sorted(expected):
        tell(seed, *what, "missing:", [e for e in expected if e not in got][:2],
             "more:", [g for g in got if g not in expected][:2])


def compare(seed, what, words, expected, got):
    for key in sorted(set(expected) | set(got), key=str):
        e, g = expected.get(key), got.get(key)
        if e is None or g is None or len(e) != len(g) or not all(near(a, b) for a, b in zip(g, e)):
            return tell(seed, what, words, key, "expected", e, "got", g)


def sums(entities, key, numbers):
    """For each key of entities the sums of numbers, of which there may be several keys for one."""
    found = {}
    for e in entities:
        for k in key(e):
            found[k] = [a + b for a, b in zip(found.get(k, [0] * len(numbers(e))), numbers(e))]
    return found


def percentile(times, share):
    """Rounded down to three digits; None if it is negative."""
    time = sorted(times)[max(1, math.ceil(share * len(times) - 1e-9)) - 1]
    if time <= 0:
        return None if time < 0 else 0
    unit = 10.0 ** (math.floor(math.log10(time)) - 2)
    return max(min(times), math.floor(time / unit + 1e-9) * unit)


def shares(weights):
    positive = {key: weight for key, weight in weights.items() if weight > 0}
    return {key: weight / sum(positive.values()) for key, weight in positive.items()}


def areas(picture):
    """Returns the area of each leaf of a treemap."""
    found, svg = {}, "{http://www.w3.org/2000/svg}"
    for group in xml.etree.ElementTree.fromstring(picture).iter(svg + "g"):
        title, rects = group.find(svg + "title"), group.findall(svg + "rect")
        if rects[0].get("fill") != "#eceef1":  # that of a container with others in it
            name = title.text.rsplit(": ", 1)[0].split(" / ")[-1]
            found[name] = float(rects[-1].get("width")) * float(rects[-1].get("height"))
    return found


def check(seed):
    trace = Trace(seed)
    draw, path = trace.draw, trace.path
    if draw.random() < 0.4:
        run("index", "-z", "--events=%d" % draw.choice([3, 10, 40]), "t.trace")
    of = Filter(trace, draw)
    chosen = [e for e in trace.all if of.keeps(e)]
    kinds = {kind: [e for e in chosen if e.kind == kind] for kind in ["Container"] + list(TABLES)}

    run("csv", "-d", "tables", *of.words, "t.trace")
    for kind, name in TABLES.items():
        with open("tables/%s.csv" % name) as opened:
            got = [(r["ContainerAlias"], r["Type"], float(r["Time" if kind == "Event" else "Start"]),
                    float(r["Time" if kind == "Event" else "End"]),
                    float(r["Value"]) if kind == "Variable" else r["Value"]) for r in csv.DictReader(opened)]
        same(seed, [name] + of.words, got, [(e.container, NAMES[e.type], e.start, e.end,
                                             e.number if kind == "Variable" else e.value) for e in kinds[kind]])

    rows = {tuple(r[n] for n in ("ContainerAlias", "Kind", "Type", "Value")):
            tuple(r[n] for n in ("Count", "Total", "Exclusive", "Integral"))
            for r in table("profile", "--format=csv", *of.words, "t.trace") if r["Type"] != "0"}
    compare(seed, "profile", of.words, sums(
        chosen, lambda e: [(a, e.kind, NAMES[e.type], e.value or "") for a in trace.above(e.container)],
        lambda e: (1, of.length(e), of.exclusive(e) if e.kind == "State" else 0,
                   of.length(e) * e.number if e.kind == "Variable" else 0)), rows)

    rows = {}
    for r in table("histogram", "--format=csv", "--by=value", *of.words, "t.trace"):
        all = rows.setdefault((r["Kind"], r["Type"], r["Value"]), [0, 0])
        all[0], all[1] = all[0] + int(r["Count"]), all[1] + float(r["Time"])
    compare(seed, "histogram", of.words, sums(kinds["State"] + kinds["Link"], lambda e: [
        (e.kind, NAMES[e.type], e.value)], lambda e: (1, e.end - e.start)), rows)

    rows = {(r["Kind"], r["Type"], r["Container"]): r
            for r in table("histogram", "--format=csv", "--by=container", "--bins=0", *of.words, "t.trace")}
    times = {}
    for e in kinds["State"] + kinds["Link"]:
        times.setdefault((e.kind, NAMES[e.type], path(e.ends[0] if e.kind == "Link" else e.container)), []).append(
            e.end - e.start)
    same(seed, ["histogram --by=container"] + of.words, list(rows), list(times))
    for key in set(rows) & set(times):
        for name, share in ("P5", 0.05), ("Median", 0.5), ("P75", 0.75), ("P99", 0.99):
            expected = percentile(times[key], share)
            if expected is not None and not near(rows[key][name], expected):
                tell(seed, "histogram", of.words, key, name, "expected", expected, "got", rows[key][name])

    for type in "STVW":
        expected = sums([e for e in chosen if e.type == type], lambda e: [e.container], lambda e: [
            of.length(e) * e.number if e.kind == "Variable" else of.exclusive(e)])
        expected = shares({container: weight for container, (weight,) in expected.items()})
        got = shares(areas(run("platform", "--unit=s", "--width=4000", "--height=4000", "--treemap=" + NAMES[type],
                               *of.words, "t.trace")))
        if any(abs(expected.get(c, 0) - got.get(c, 0)) > 0.004 for c in set(expected) | set(got)):
            tell(seed, "platform --treemap", NAMES[type], of.words, "expected", expected, "got", got)

    rows = {(r["From"], r["To"]): (r["Count"], r["Time"], r["Bytes"])
            for r in table("matrix", "--format=csv", "--bytes=Size", *of.words, "t.trace")}
    compare(seed, "matrix", of.words, sums(kinds["Link"], lambda e: [tuple(map(path, e.ends))],
                                           lambda e: (1, e.end - e.start, e.size)), rows)

    rows, expected = {}, {}
    for r in table("slices", "--format=csv", "--slices=7", *of.words, "t.trace"):
        if r["Kind"] in ("State", "Variable"):
            key = (r["Container"], r["Type"], r["Value"])
            part = float(r["Start"]), float(r["End"])
            rows[key + part] = (r["Time"], r["Integral"])
            mine = [e for e in kinds[r["Kind"]] if (path(e.container), NAMES[e.type], e.value) == key]
            time = of.exclusive if r["Kind"] == "State" else of.length
            expected[key + part] = (sum(time(e, *part) for e in mine),
                                    sum(of.length(e, *part) * e.number for e in mine if e.kind == "Variable"))
    compare(seed, "slices", of.words, expected, rows)

    rows = table("diff", "--format=csv", *of.words, "t.trace", "t.trace")
    if any(r["CountA"] != r["CountB"] or float(r["Difference"]) for r in rows) or \
            sum(int(r["CountA"]) for r in rows) != len(chosen) - len(kinds["Container"]):
        tell(seed, "diff with itself", of.words)

    for _ in range(3):
        instant = int(8 * draw.choice(trace.all).start) / 8 + 1 / 16
        there = [e for e in trace.all if e.start <= instant <= e.end]
        lines = [line.strip().split(",")[0] for line in run("at", "-z", "--", "t.trace", repr(instant)).splitlines()]
        expected = ["%s: %s" % (NAMES[e.type], e.container) if e.kind == "Container" else
                    "state %s [%d]: %s" % (NAMES[e.type], e.depth, e.value) if e.kind == "State" else
                    "variable %s: %g" % (NAMES[e.type], e.number) if e.kind == "Variable" else
                    "link %s: msg from %s to %s" % (NAMES[e.type], *e.ends) for e in there]
        if instant < trace.last:
            same(seed, ["at", instant], [line for line in lines if line.split(":")[0] != "0"], expected)


if __name__ == "__main__":
    seeds = begin("model", 100)
    for number in seeds:
        check(number)
    if not failed:
        print("PASS model: %d traces" % len(seeds))
    raise SystemExit(failed > 0)
