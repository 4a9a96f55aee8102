"""PAJE FOLDER TRACE...: `paje histogram` counts what the tables of states and links say, by decimal arithmetic."""
import collections
from decimal import Decimal, ROUND_FLOOR
import math
import sys

from cases import case, short
from charts import chart, close, tables
import cases

tool, folder, *traces = sys.argv[1:]


def named(row, by):
    where = "From" if "From" in row else "Container"
    return (row["Value"], "") if "value" in by else (row[where], row[where + "Alias"]) if "container" in by else ("", "")


def durations(found, by):
    """(kind, type, value, alias): [(duration, what rounding may do to it)]"""
    lists = collections.defaultdict(list)
    for kind in "state", "link":
        for r in found[kind]:
            start, end = Decimal(r["Start"]), Decimal(r["End"])
            error = 3 * 2 ** -52 * float(max(abs(start), abs(end)))
            lists[(kind.capitalize(), r["Type"]) + named(r, by)].append((end - start, error))
    return lists


def three_digits(number):
    return number and number.scaleb(2 - number.adjusted()).to_integral_value(ROUND_FLOOR).scaleb(number.adjusted() - 2)


def check_bins(rows, spans, rough):
    """Bins lie side by side, and each has what lies within it."""
    edges = [(Decimal(r["From"]), Decimal(r["To"])) for r in rows]
    inner = [(a, b) for a, b in edges if a > 0]
    assert all(a[1] == b[0] for a, b in zip(inner, inner[1:])) and all(three_digits(a) == a for a, _ in inner), edges
    for (low, high), r in zip(edges, rows):
        if low < 0:
            within = [s for s in spans if s < 0]
        else:
            within = [s for s in spans if low <= s < high or s == low == high]
        assert int(r["Count"]) == len(within), (r, len(within))
        close(r["Time"], float(sum(within)), float(sum(map(abs, spans))) + 1e11 * rough, r)
    assert sum(int(r["Count"]) for r in rows) == len(spans), len(spans)


for trace in traces:
    for options in "", "--by value --bins 5", "--by container --bins 1", "--bins 400":
        @case("exact: " + short(trace) + " " + options)
        def _():
            lists = durations(tables(tool, folder, trace), options)
            rows = collections.defaultdict(list)
            for r in chart(tool, "histogram", trace, *options.split()):
                rows[r["Kind"], r["Type"], r.get("Value", r.get("Container")), r.get("ContainerAlias", "")].append(r)
            if sum(len(names) > 0 for names in lists) > 256 and "container" in options:
                return  # beyond, containers share one
            assert set(rows) == set(lists), set(rows) ^ set(lists)
            most = int(options.split()[-1]) if options else 60
            for key, spans in lists.items():
                assert len([r for r in rows[key] if float(r["To"]) > 0]) <= most, (key, len(rows[key]))
                if all(error < 0.001 * float(span) or not span for span, error in spans):
                    check_bins(rows[key], [span for span, _ in spans], sum(error for _, error in spans))
                else:  # times have more digits than a double: edges can be missed
                    assert sum(int(r["Count"]) for r in rows[key]) == len(spans), key

    @case("statistics: " + short(trace))
    def _():
        lists = durations(tables(tool, folder, trace), "")
        rows = {(r["Kind"], r["Type"], "", ""): r for r in chart(tool, "histogram", trace, "--bins", "0")}
        assert set(rows) == set(lists), set(rows) ^ set(lists)
        for key, r in rows.items():
            spans, rough = sorted(span for span, _ in lists[key]), max(error for _, error in lists[key])
            extent = float(sum(map(abs, spans))) + rough * len(spans) * 1e11
            assert int(r["Count"]) == len(spans), (r, len(spans))
            close(r["Sum"], float(sum(spans)), extent, r)
            close(r["Mean"], float(sum(spans)) / len(spans), extent, r)
            close(r["Min"], float(spans[0]), rough * 1e11, r)
            close(r["Max"], float(spans[-1]), rough * 1e11, r)
            for name, share in ("P5", 5), ("P25", 25), ("Median", 50), ("P75", 75), ("P95", 95), ("P99", 99):
                span = spans[max(math.ceil(Decimal(share * len(spans)) / 100), 1) - 1]
                if span < 0:
                    assert r[name] == "", (name, r)
                elif not span or rough < 0.001 * float(span):
                    lowest = max(float(three_digits(span)), float(spans[0]))
                    close(r[name], lowest, rough * 1e11, (name, r))

sys.exit(cases.failed)
