"""PAJE FOLDER TRACE...: `paje matrix` is what the table of links says."""
import collections
import json
import math
import sys

from cases import case, short
from charts import chart, close, cut, tables
import cases

tool, folder, *traces = sys.argv[1:]


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def expected(links, depth, field):
    pairs = collections.defaultdict(lambda: ([], []))
    for r in links:
        times, sizes = pairs[cut(r["From"], depth), cut(r["To"], depth)]
        times.append(float(r["End"]) - float(r["Start"]))
        size = r["Value"] if field == "Value" else ""
        for fields in r["Closing"], r["Opening"]:
            fields = json.loads(fields.encode("latin-1").decode("utf-8", "each")) if fields else {}
            size = fields.get(field, size)
        if number(size) is not None:
            sizes.append(number(size))
    return pairs


for trace in traces:
    for depth, field, options in (999, "", ""), (1, "Size", "--bytes Size --depth 1"), (2, "Value", "--bytes Value --depth 2"):
        @case("exact: " + short(trace) + " " + options)
        def _():
            pairs = expected(tables(tool, folder, trace)["link"], depth, field)
            got = collections.defaultdict(list)
            for r in chart(tool, "matrix", trace, *options.split()):
                got[r["From"], r["To"]].append(r)
            assert set(got) == set(pairs), set(got) ^ set(pairs)
            for pair, rows in got.items():  # containers may share a path
                times, sizes = pairs[pair]
                extent = math.fsum(map(abs, times))
                assert sum(int(r["Count"]) for r in rows) == len(times), (rows, len(times))
                close(math.fsum(float(r["Time"]) for r in rows), math.fsum(times), extent, rows)
                assert min(float(r["LeastTime"]) for r in rows) == min(times), rows
                assert max(float(r["MostTime"]) for r in rows) == max(times), rows
                if field:
                    close(math.fsum(float(r["Bytes"]) for r in rows), math.fsum(sizes), math.fsum(map(abs, sizes)), rows)

    @case("rows that are grouped have the same sums: " + short(trace))
    def _():
        whole, few = (chart(tool, "matrix", trace, *options) for options in ([], ["--rows", "3"]))
        assert len({r["From"] for r in few} | {r["To"] for r in few}) <= 3, few
        assert sum(int(r["Count"]) for r in whole) == sum(int(r["Count"]) for r in few)
        close(math.fsum(float(r["Time"]) for r in few), math.fsum(float(r["Time"]) for r in whole),
              math.fsum(abs(float(r["Time"])) for r in whole), "time")

sys.exit(cases.failed)
