"""PAJE FOLDER TRACE...: the columns of examples/bindings/python/paje hold what its entities do; and data frames."""
import gc
import io
import math
import os
import resource
import subprocess
import sys
import warnings

from cases import case, short
import cases

sys.path.insert(0, "examples/bindings/python")
import paje
import paje.reader

tool, folder, *traces = sys.argv[1:]
header = open("tests/tool/header.trace", "rb").read()
body = open("tests/tool/body.trace", "rb").read()
kinds = paje.reader._KINDS[1:]
warnings.simplefilter("ignore")


def path(container):
    return container.path if container else None


def alias(container):
    return container.alias if container else None


def row(entity, fields=True):
    """What the columns hold of an entity; user fields as texts."""
    e = entity
    row = {"container": path(e.container), "type": e.type.name, "start": e.start}
    if e.kind != "Event":
        row["end"] = e.end
    if e.kind == "Container":
        row.update(name=e.container.name, alias=e.container.alias, parent=path(e.container.parent))
    else:
        row.update(value=e.value, container_alias=e.container.alias)
    if e.kind == "State":
        row["imbrication"] = e.imbrication
    if e.kind == "Link":
        row.update(start_container=path(e.start_container), end_container=path(e.end_container), key=e.key,
                   start_container_alias=alias(e.start_container), end_container_alias=alias(e.end_container))
    if fields:
        row.update(("opening." + name, text) for name, text in e.opening.items())
        row.update(("closing." + name, text) for name, text in e.closing.items())
    return row


def compare(columns, expected):
    """`expected` are rows; a number in place of a text is the number that the text tells."""
    assert set().union(*expected) <= set(columns) or not expected, (columns, expected[0])
    for name, column in columns.items():
        want = [one.get(name) for one in expected]
        if isinstance(column, paje.Names):
            got = [None if code < 0 else column.dictionary[code] for code in column.codes]
            assert len(set(column.dictionary)) == len(column.dictionary), name
        else:
            got = [None if math.isnan(number) else number for number in column]
            if "." in name:
                assert all(one is None or repr(float(one)) == one or str(int(float(one))) == one or "." in one or
                           "e" in one.lower() for one in want), (name, want)
                want = [one and float(one) for one in want]
        assert got == want, (name, [pair for pair in zip(got, want) if pair[0] != pair[1]][:3])
    return len(expected)


def opener(trace):  # a trace may miss some of its files
    def opener(name):
        try:
            return paje.reader._opener(trace)(name)
        except FileNotFoundError:
            return io.BytesIO()
    return opener


for trace in traces:
    @case("as the entities: " + short(trace))
    def _():
        entities = list(paje.entities(trace, opener=opener(trace)))
        for kind in kinds:
            compare(paje.columns(trace, kind, fields=True, opener=opener(trace)),
                    [row(one) for one in entities if one.kind == kind])


@case("without user fields; of a file that is open")
def _():
    columns = paje.columns(io.BytesIO(header + body), "State")
    assert list(columns) == ["container", "type", "start", "end", "imbrication", "value", "container_alias"], columns
    assert compare(columns, [row(one, 0) for one in paje.entities(io.BytesIO(header + body)) if one.kind == "State"])
    assert columns["value"][0] in columns["value"].dictionary and len(columns["value"]) == len(columns["start"])


@case("user fields that are numbers, and those that only look so")
def _():
    def of(*texts):
        lines = b"".join(b'30 %d E 0 it "%s" 1\n' % (i, text.encode()) for i, text in enumerate(texts))
        return paje.columns(io.BytesIO(header + b"2 E 0 Event\n" + lines), "Event", fields=True)["opening.Payload"]
    for texts in ("1", "2.50", "-3e2"), ("0", "-0.5", "0.25"), ("999999999999999",):
        assert list(of(*texts)) == [float(text) for text in texts], texts
    for texts in ("1", "x"), ("007",), ("0x10",), ("1", ""), ("1234567890123456",), ("-",), ("nan",), ("+1",), ("1 2",):
        got = of(*texts)
        assert [got[i] for i in range(len(texts))] == list(texts), texts


@case("a user field that comes late, and one that is missing")
def _():
    late = b"%EventDef PajeNewEvent 99\n% Time date\n% Type string\n% Container string\n% Value string\n" \
        b"% Late string\n%EndEventDef\n"
    text = header + b"2 E 0 Event\n" + b"30 1 E 0 it a 1\n" * 3000 + late + b"99 2 E 0 it b\n" * 3000
    columns = paje.columns(io.BytesIO(text), "Event", fields=True)
    assert set(columns["opening.Late"].codes[:3000]) == {-1} and columns["opening.Late"][3000] == "b"
    assert columns["opening.Payload"][2999] == "a" and columns["opening.Payload"][3000] is None
    assert math.isnan(columns["opening.Size"][5999]) and columns["opening.Size"][0] == 1


@case("many rows, names and keys, of containers that come and go")
def _():
    lines = [b"0 H 0 Host\n2 E H Event\n4 L 0 H H Message\n"]
    for i in range(5000):
        lines.append(b"6 %d c%d H 0 host%d 1\n30 %d E c%d value%d x %d\n40 %d L 0 c%d m k%d 1\n41 %d L 0 c%d m k%d y\n"
                     b"7 %d H c%d\n" % (i, i, i % 700, i, i, i % 900, i, i, i, i, i, i, i, i, i))
    text = header + b"".join(lines)
    entities = list(paje.entities(io.BytesIO(text)))
    for kind in "Container", "Event", "Link":
        columns = paje.columns(io.BytesIO(text), kind, fields=True)
        assert compare(columns, [row(one) for one in entities if one.kind == kind]) >= 5000
    assert len(columns["start_container"].dictionary) == 701 and len(columns["key"].dictionary) == 5000


@case("containers of one path, told apart by their aliases")
def _():
    text = header + b"0 H 0 Host\n1 S H State\n4 L 0 H H Link\n6 0 a H 0 host x\n6 0 b H 0 host x\n" \
        b"10 0 S a busy x 1\n10 1 S b busy x 1\n40 1 L 0 a m k 1\n41 2 L 0 b m k x\n7 4 H a\n7 4 H b\n"
    states, links = (paje.columns(io.BytesIO(text), kind) for kind in ("State", "Link"))
    assert [states["container"][i] for i in (0, 1)] == ["/host"] * 2 and states["container"].dictionary == ["/host"]
    assert [states["container_alias"][i] for i in (0, 1)] == ["a", "b"]
    assert [links[name + "_alias"][0] for name in ("container", "start_container", "end_container")] == ["0", "a", "b"]


@case("errors of the trace are told")
def _():
    text = header + body + b"77 90 of no kind\n7 91 H nobody\n"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        columns = paje.columns(io.BytesIO(text), "State")
    line = len((header + body).splitlines()) + 1
    assert columns.errors == 2 and (columns.problem.line, columns.problem.bytes) == (line, "77"), columns.problem
    assert len(told) == 1 and "the trace: 2 errors, the first in line %d: " % line in str(told[0].message), told
    assert told[0].filename == __file__
    assert paje.columns(io.BytesIO(header + body), "State").problem is None


@case("a kind that is none, a file that is none, an option that is none")
def _():
    for error, call in ((ValueError, lambda: paje.columns(io.BytesIO(), "Stat")),
                        (FileNotFoundError, lambda: paje.columns(folder + "/nothing.trace", "State")),
                        (TypeError, lambda: paje.columns(io.BytesIO(), "State", strickt=True))):
        try:
            call()
        except error:
            continue
        raise AssertionError(error)
    columns = paje.columns(io.BytesIO(), "Variable", fields=True)
    assert len(columns["value"]) == 0 and columns["type"].dictionary == []


@case("an array outlives its columns; what nothing refers to is freed")
def _():
    text = header + b"2 E 0 Event\n" + b"30 1.5 E 0 it 1 1\n" * 100000
    start = paje.columns(io.BytesIO(text), "Event")["start"]
    gc.collect()
    others = [bytearray(b"\xa5" * 400000) for _ in range(50)]
    assert len(start) == 100000 and set(start) == {1.5} and others

    def resident():
        return int(open("/proc/self/statm").read().split()[1])
    before = resident()
    for _ in range(60):
        paje.columns(io.BytesIO(text), "Event", fields=True)
    assert resident() - before < 20 << 8, resident() - before  # in pages: 20 MB, of 60 times 2.4


@case("no memory: MemoryError")
def _():
    code = """if True:
        import io, resource, sys
        sys.path.insert(0, "examples/bindings/python")
        import paje
        header = open("tests/tool/header.trace", "rb").read()
        text = header + b"2 E 0 Event\\n" + b"".join(b"30 1 E 0 it %d 1\\n" % i for i in range(300000))
        paje.columns(io.BytesIO(header), "Event", fields=True)
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        failed = done = 0
        for more in range(1 << 20, 60 << 20, 1 << 20):
            resource.setrlimit(resource.RLIMIT_AS, (used + more, resource.RLIM_INFINITY))
            try:
                done = len(paje.columns(io.BytesIO(text), "Event", fields=True)["start"])
                break
            except MemoryError:
                failed += 1
        sys.exit(not (done == 300000 and failed > 3))"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


try:
    import pandas
except ImportError:
    print("SKIP tool columns: pandas: no pandas for %s (install python3-pandas)" % sys.executable)
    sys.exit(cases.failed)


@case("to_pandas: as the columns")
def _():
    for trace in traces:
        for kind in kinds:
            columns = paje.columns(trace, kind, fields=True, opener=opener(trace))
            frame = columns.to_pandas()
            assert list(frame.columns) == list(columns)
            for name, column in columns.items():
                if isinstance(column, paje.Names):
                    got = [None if text is None or text != text else text for text in frame[name]]
                    assert got == [column[i] for i in range(len(column))], (trace, name)
                else:
                    assert frame[name].equals(pandas.Series(column, name=name)), (trace, name)


@case("to_pandas: what a program asks is what the profile says")
def _():
    frame = paje.columns("tests/traces/tour.trace", "State").to_pandas()
    frame["duration"] = frame.end - frame.start
    got = frame.groupby(["container", "value"], observed=True).duration.sum()
    assert abs(got["/Cluster of two/Node A", "Running"] - 0.75) < 1e-12, got
    assert frame.dtypes["value"] == "category" and frame.dtypes["start"] == float


sys.exit(cases.failed)
