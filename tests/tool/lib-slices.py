"""PAJE FOLDER TRACE...: `paje slices` adds up what the tables say, slice by slice."""
import bisect
import collections
import math
import sys

from cases import case, short
from charts import chart, cut, tables
import cases

tool, folder, *traces = sys.argv[1:]


def overlap(part, low, high):
    return max(0.0, min(part[1], high) - max(part[0], low))


class Expected:
    """What of each row, type and value there is: parts of time, and times to subtract."""

    def __init__(self, found, depth, window):
        self.low, self.high = window or (-math.inf, math.inf)
        self.parts = collections.defaultdict(list)
        self.above = collections.defaultdict(list)
        self.lives = collections.defaultdict(list)
        bearers = {}
        for r in found["container"]:
            bearers[r["Path"], r["Alias"]] = r["TypeAlias"]
            self.lives[cut(r["Path"], depth), r["TypeAlias"]].append(self.clip(r))
        self.bearer = {}
        stacks = collections.defaultdict(list)
        for r in found["state"]:
            key = r["Container"], r["ContainerAlias"], r["TypeAlias"]
            stacks[key + (int(r["Imbrication"]),)].append((float(r["Start"]), float(r["End"])))
            self.bearer[r["Type"]] = bearers.get(key[:2])
        for stack in stacks.values():
            stack.sort()
        for kind in "state", "variable", "event", "link":
            for r in found[kind]:
                start = float(r["Time"] if "Time" in r else r["Start"])
                if float(r.get("End", start)) < self.low or start > self.high:
                    continue
                part = self.clip(r)
                value = "" if kind == "variable" else r["Value"]
                number = float(r["Value"]) if kind == "variable" else 0
                key = cut(r["Container"], depth), kind.capitalize(), r["Type"], value
                self.parts[key].append(part + (number,))
                if kind == "state":
                    stack = stacks[r["Container"], r["ContainerAlias"], r["TypeAlias"], int(r["Imbrication"]) + 1]
                    at = bisect.bisect_left(stack, (float(r["Start"]),))
                    while at < len(stack) and stack[at][1] <= float(r["End"]):
                        self.above[key].append(self.clip({"Start": stack[at][0], "End": stack[at][1]}))
                        at += 1

    def clip(self, r):
        start = float(r["Time"] if "Time" in r else r["Start"])
        return max(start, self.low), min(float(r.get("End", start)), self.high)


def merged(rows):
    """Adds up rows of types that have the same name."""
    found = {}
    for r in rows:
        one = found.setdefault(tuple(r[name] for name in ("Container", "Kind", "Type", "Value", "Start", "End")), r)
        if one is not r:
            one["Share"] = one["Mean"] = ""
            for name in "Count", "Time", "Integral":
                one[name] = str(float(one[name] or 0) + float(r[name] or 0))
    return found.values()


def compare(rows, of):
    for r in merged(rows):
        key = r["Container"], r["Kind"], r["Type"], r["Value"]
        low, high = float(r["Start"]), float(r["End"])
        parts = of.parts[key]
        count = sum(low <= p[0] < high or p[0] == high == of.high for p in parts)
        assert float(r["Count"]) == count, (r, count)
        if r["Kind"] == "Event":
            continue
        times = [overlap(p, low, high) for p in parts]
        time = math.fsum(times + [-overlap(p, low, high) for p in of.above[key]])
        error = 1e-11 * (math.fsum(times) + high - low) + 1e-15 * max(abs(low), abs(high))
        assert abs(float(r["Time"]) - time) <= error, (r, time)
        if r["Kind"] == "Variable":
            area = math.fsum(t * p[2] for t, p in zip(times, parts))
            extent = math.fsum(t * abs(p[2]) for t, p in zip(times, parts))
            error = 1e-9 * extent + 1e-300
            assert abs(float(r["Integral"]) - area) <= error, (r, area)
            assert r["Mean"] == "" or abs(float(r["Mean"]) - area / time) <= error / time, (r, area / time)
        if r["Kind"] == "State" and of.bearer[r["Type"]] and r["Container"] != "/":
            life = math.fsum(overlap(p, low, high) for p in of.lives[r["Container"], of.bearer[r["Type"]]])
            assert not life or r["Share"] == "" or abs(float(r["Share"]) - time / life) <= 1e-9, (r, time / life)


for trace in traces:
    found = tables(tool, folder, trace)
    times = [float(r[name]) for kind in found for r in found[kind] for name in ("Start", "End", "Time") if name in r]
    first, last = (min(times), max(times)) if times else (0, 1)
    inner = (first + (last - first) / 5, first + (last - first) / 1.7)
    for name, depth, window, options in (
            ("slices of powers of two", 999, None, ["--slices", "50"]),
            ("slices of a range, depth 1", 1, inner, ["--slices", "7", "--depth", "1", "-s", repr(inner[0]), "-e", repr(inner[1])]),
            ("slices of a width, all types", 2, None, ["--slice", repr((last - first) / 20 or 1), "--type", "*", "--depth", "2"])):
        if window and not window[1] > window[0]:
            continue

        @case("exact, %s: %s" % (name, short(trace)))
        def _():
            of, rows = Expected(found, depth, window), chart(tool, "slices", trace, *options)
            of.parts = collections.defaultdict(list, {k: v for k, v in of.parts.items()
                                                      if "--type" in options or k[1] in ("State", "Variable")})
            many = collections.Counter((k[1], k[2]) for k in of.parts)
            if max(many.values(), default=0) < 60:  # beyond, values share a class
                assert {(r["Container"], r["Kind"], r["Type"], r["Value"]) for r in rows} == {
                    k for k, v in of.parts.items()}, "what is there"
                compare(rows, of)
            widths = {float(r["End"]) - float(r["Start"]) for r in rows}
            count = len({r["Start"] for r in rows})
            assert not rows or (max(widths) - min(widths)) <= 1e-9 * max(widths) + 1e-15 * max(abs(first), abs(last))
            if "50" in options and rows:
                assert count <= 50 and math.frexp(min(widths))[0] == 0.5, (count, widths)
            if window:
                assert count <= 7, count

sys.exit(cases.failed)
