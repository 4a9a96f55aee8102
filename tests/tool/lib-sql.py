"""PAJE GROUP ROWS NAME TRACE [NAME TRACE]...: the rows that lib-sql.sh got of so many loads, in their order, are the
lines of `paje dump`."""
import collections
import sys

from cases import case, dump, same
import cases

tool, cases.group, rows, *traces = sys.argv[1:]
form = {"Container": "ntgggn", "State": "ntffffn", "Event": "ntfn", "Variable": "ntffff", "Link": "ntfffnnnn"}
loads = collections.defaultdict(list)
for row in open(rows):
    load, kind, *columns = row.rstrip("\n").split("\t")
    loads[int(load)].append((kind, columns))


def line(kind, columns):
    if kind != "Event": # the duration
        columns.insert(4, str(float(columns[3]) - float(columns[2])))
    assert len(columns) == len(form[kind]), columns
    return tidy(", ".join([kind] + ["%.6f" % float(c) if f == "f" else "%g" % float(c) if f == "g" else
                                    bytes.fromhex(c).decode() for f, c in zip(form[kind], columns)]))


def tidy(text):
    return text.replace("-0.000000", "0.000000")


for load, name, trace in zip(sorted(loads), traces[::2], traces[1::2]):
    @case(name)
    def _():
        # U+FFFD stands where bytes are no UTF-8, or NUL.
        expected = (tidy(line.decode("utf-8", "each").replace("\0", "\ufffd")) for line in dump(tool, trace))
        same(sorted(expected), sorted(line(*row) for row in loads[load]))

if 2 * len(loads) != len(traces):
    @case("files in the database")
    def _():
        raise AssertionError("%d in place of %d" % (len(loads), len(traces) // 2))

sys.exit(cases.failed)
