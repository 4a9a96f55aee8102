"""PAJE FOLDER TRACE...: all formats of `paje profile` say the same, and what it says of a whole trace are sums over the
tables of `paje csv`."""
import collections
import csv
import io
import json
import math
import sys

from cases import case, characters, run, short, table
import cases

tool, folder, *traces = sys.argv[1:]


def profile(trace, *options):
    text = run(tool, "profile", "--format", "csv", *options, trace).stdout.decode("latin-1")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def spans():
    """(kind, alias of the type, value): [(start, duration, number)] of what the tables hold."""
    found = collections.defaultdict(list)
    for kind in "Container", "State", "Event", "Variable", "Link":
        for r in table(folder, kind.lower() + "s"):
            value = r["Value"] if kind in ("State", "Event", "Link") else ""
            number = float(r["Value"]) if kind == "Variable" else 0
            found[kind, r["TypeAlias"], value].append((float(r.get("Duration", 0)), number))
    return found


def close(a, b, scale):
    return abs(a - b) <= 1e-9 * max(scale, 1e-6)


for trace in traces:
    for options in "", "--depth 1":
        @case("CSV as JSON: " + short(trace) + (", " + options if options else ""))
        def _():
            rows = profile(trace, *options.split())
            text = run(tool, "profile", "--format", "json", *options.split(), trace).stdout
            objects = json.loads(text.decode("utf-8"), parse_float=str, parse_int=str)
            assert rows, "no rows"
            for row, one in zip(map(characters, rows), objects, strict=True):
                row = {name[0].lower() + name[1:]: field for name, field in row.items()}
                assert {name: field for name, field in row.items() if field != "" or name in one} == one, (row, one)

    @case("as the tables: " + short(trace))
    def _():
        run(tool, "csv", "-d", folder, trace)
        left = spans()
        whole = [row for row in profile(trace, "--depth", "0") if row["Container"] == "/"]
        # Where a type has too many undefined values, one row without a value has the rest of them, and comes last.
        for row in sorted(whole, key=lambda row: row["Value"] == ""):
            kind, alias, value = row["Kind"], row["TypeAlias"], row["Value"]
            keys = [key for key in left if key[:2] == (kind, alias) and value in ("", key[2])]
            part = [span for key in keys for span in left.pop(key)]
            times, numbers = [span[0] for span in part], [span[1] for span in part]
            total = math.fsum(times)
            assert int(row["Count"]) == len(part), (row, len(part))
            if kind == "Event" or row["Type"] == "0":  # the root, which lives from the first event on, not from 0
                continue
            extent = math.fsum(map(abs, times))
            assert close(float(row["Total"]), total, extent), (row, total)
            measures = numbers if kind == "Variable" else times
            assert close(float(row["Min"]), min(measures), abs(min(measures))), (row, min(measures))
            assert close(float(row["Max"]), max(measures), abs(max(measures))), (row, max(measures))
            if kind == "Variable":
                areas = [time * number for time, number in part]
                assert close(float(row["Integral"]), math.fsum(areas), math.fsum(map(abs, areas))), row
        assert not left, list(left)[:3]

sys.exit(cases.failed)
