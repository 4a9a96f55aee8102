"""PAJE FOLDER TRACE...: the tables of `paje csv` hold what `paje dump` prints."""
import json
import re
import sys

from cases import case, characters, dump, run, same, short, table
import cases

tool, folder, *traces = sys.argv[1:]


def name(path):
    if path == "/":
        return "0"
    return re.sub(r"\\(.)", r"\1", re.search(r"(?s)/((?:[^/\\]|\\.)*)$", path).group(1))


def times(row, form):
    start, end, duration = (float(row[column]) for column in ("Start", "End", "Duration"))
    # The difference of the decimals, of which that of the numbers may be off in the last place.
    assert abs(duration - (end - start)) <= 1e-15 * max(abs(start), abs(end)), row
    return [form % start, form % end, form % (end - start)]


def lines():
    """Those of `paje dump -l 9`, made of the tables."""
    for r in table(folder, "containers"):
        assert name(r["Path"]) == r["Name"], r
        yield ["Container", name(r["Parent"] or "/"), r["Type"], *times(r, "%g"), r["Name"]]
    for r in table(folder, "states"):
        yield ["State", name(r["Container"]), r["Type"], *times(r, "%.9f"), "%.9f" % float(r["Imbrication"]),
               r["Value"]]
    for r in table(folder, "events"):
        yield ["Event", name(r["Container"]), r["Type"], "%.9f" % float(r["Time"]), r["Value"]]
    for r in table(folder, "variables"):
        yield ["Variable", name(r["Container"]), r["Type"], *times(r, "%.9f"), "%.9f" % float(r["Value"])]
    for r in table(folder, "links"):
        yield ["Link", name(r["Container"]), r["Type"], *times(r, "%.9f"), r["Value"], name(r["From"]), name(r["To"]),
               r["Key"]]


for trace in traces:
    @case("as dump: " + short(trace))
    def _():
        run(tool, "csv", "-d", folder, trace)
        same(dump(tool, trace, "-l", "9"), sorted(", ".join(line).encode("latin-1") for line in lines()))

    @case("--field-columns hold what -u writes: " + short(trace))
    def _():
        run(tool, "csv", "-u", "--field-columns", "-d", folder, trace)
        for kind in "containers", "states", "events", "variables", "links":
            for row in map(characters, table(folder, kind)):
                for line in "Opening", "Closing":
                    fields = {name[8:]: text for name, text in row.items() if name.startswith(line + ".") and text}
                    assert fields == {name: text for name, text in json.loads(row[line] or "{}").items() if text}, row

sys.exit(cases.failed)
