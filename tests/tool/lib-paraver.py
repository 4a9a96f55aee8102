"""Checks files of Paraver, without the tool: `lib-paraver.py PAJE FOLDER [NAME TRACE]...`.  Each trace, which
may have filters in front, is written by `paje paraver`, and read back by `paje import`.

  - the files are consistent: counts of the header, of .row and of records; length; order; ids; labels
  - they hold the entities of the tables of `paje csv`, which tests/tool/csv.sh holds equal to the dump
  - what is read back holds them as well, and is a strictly valid trace

`lib-paraver.py check BASE` looks at one .prv only.  Prints a line for each case."""
import collections
import csv
import os
import re
import subprocess
import sys
from decimal import Decimal

NANOSECONDS = Decimal(10) ** 9
KNOWN = ["idle", "running", "not created", "waiting a message", "blocking send", "synchronization", "test/probe",
         "scheduling and fork/join", "wait/waitall", "blocked", "immediate send", "immediate receive", "i/o",
         "group communication", "tracing disabled", "others"]


class Wrong(Exception):
    pass


def need(condition, why, *what):
    if not condition:
        raise Wrong(why % what)


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        return file.read().split("\n")


class Labels:
    """The file .pcf."""

    def __init__(self, path):
        self.states, self.colors, self.types = {}, {}, {}
        section, members, values = None, [], False
        for line in read(path):
            if line in ("DEFAULT_OPTIONS", "DEFAULT_SEMANTIC", "STATES", "STATES_COLOR", "EVENT_TYPE"):
                section, members, values = line, [], False
            elif not line.strip():
                continue
            elif section == "STATES":
                number, name = re.fullmatch(r"(\d+) +(.*)", line).groups()
                need(int(number) not in self.states, "state %s is there twice", number)
                self.states[int(number)] = name.strip(" ")
            elif section == "STATES_COLOR":
                number, *parts = re.fullmatch(r"(\d+) +\{(\d+),(\d+),(\d+)\}", line).groups()
                need(all(int(part) < 256 for part in parts), "colour %s", line)
                self.colors[int(number)] = parts
            elif section == "EVENT_TYPE" and line == "VALUES":
                values = True
            elif section == "EVENT_TYPE" and line.startswith("PRECISION "):
                for member in members:
                    self.types[member]["scale"] = Decimal(10) ** int(line.split()[1])
            elif section == "EVENT_TYPE" and values:
                number, name = re.fullmatch(r"(-?\d+) +(.*)", line).groups()
                for member in members:
                    need(int(number) not in self.types[member]["values"], "value %s is there twice", line)
                    self.types[member]["values"][int(number)] = name.strip(" ")
            elif section == "EVENT_TYPE":
                number, name = re.fullmatch(r"\d+ +(\d+) +(.*)", line).groups()
                need(0 < int(number) < 2 ** 31 and int(number) not in self.types, "type %s", line)
                self.types[int(number)] = {"name": name.strip(" "), "values": {}, "scale": Decimal(1)}
                members.append(int(number))
        need(set(self.states) == set(self.colors), "states and their colours differ")
        need([name.lower() for _, name in sorted(self.states.items())][:16] == KNOWN, "the states of Paraver are missing")


def read_rows(path):
    rows, lines = {}, read(path)
    while lines:
        title = re.fullmatch(r"LEVEL (\w+) SIZE (\d+)", lines.pop(0))
        if title:
            size = int(title.group(2))
            rows[title.group(1)], lines = lines[:size], lines[size:]
            need(len(rows[title.group(1)]) == size, "level %s is cut off", title.group(1))
    return rows


class Trace:
    """The three files; reading them checks them."""

    def __init__(self, base):
        self.labels, self.rows, lines = Labels(base + ".pcf"), read_rows(base + ".row"), read(base + ".prv")
        header = re.fullmatch(r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\(([\d:,]+)\)",
                              lines[0])
        need(header, "header `%s`", lines[0][:200])
        self.length, cpus = int(header.group(1)), [int(n) for n in header.group(3).split(",")]
        self.tasks = [tuple(map(int, task.split(":"))) for task in header.group(5).split(",")]
        need(len(cpus) == int(header.group(2)) and len(self.tasks) == int(header.group(4)), "counts of the header")
        need(all(1 <= node <= len(cpus) and threads for threads, node in self.tasks), "nodes of the header")
        threads = sum(n for n, _ in self.tasks)
        self.nodes = [i + 1 for i, n in enumerate(cpus) for _ in range(n)]  # by CPU
        for level, size in ("CPU", sum(cpus)), ("NODE", len(cpus)), ("TASK", len(self.tasks)), ("THREAD", threads):
            need(len(self.rows[level]) == size, "%d rows of level %s, not %d", len(self.rows[level]), level, size)
        self.first = [sum(n for n, _ in self.tasks[:i]) for i in range(len(self.tasks))]
        self.states, self.events, self.links = [], [], []
        last = 0
        need(lines.pop() == "", "the last line has no end")
        for number, line in enumerate(lines[1:], 2):
            try:
                fields = [int(field) for field in line.split(":")]
                time = self.record(fields)
                need(last <= time, "time goes back")
                last = time
            except (Wrong, ValueError, IndexError) as error:
                raise Wrong("line %d `%s`: %s" % (number, line[:100], error))
        self.check_states()
        self.check_stacks()

    def thread(self, fields):
        cpu, application, task, thread = fields
        need(application == 1 and 1 <= task <= len(self.tasks), "no such task")
        need(1 <= thread <= self.tasks[task - 1][0], "no such thread")
        need(self.nodes[cpu - 1] == self.tasks[task - 1][1] and cpu > 0, "the CPU is on another node")
        return self.first[task - 1] + thread - 1

    def record(self, fields):
        thread, time = self.thread(fields[1:5]), fields[5]
        need(0 <= time <= self.length, "time beyond the length")
        if fields[0] == 1:
            _, end, state = fields[5:]
            need(time < end <= self.length and state in self.labels.states, "end or state")
            self.states.append((thread, time, end, state))
        elif fields[0] == 2:
            need(len(fields) > 6 and len(fields) % 2 == 0, "pairs")
            for kind, value in zip(fields[6::2], fields[7::2]):
                known = self.labels.types[kind]
                need(not known["values"] or value in known["values"], "value without a label")
                self.events.append((thread, time, kind, value))
        else:
            need(fields[0] == 3 and len(fields) == 15, "number of fields")
            peer, (sent, taken, received, size, tag) = self.thread(fields[7:11]), [fields[6]] + fields[11:]
            need(time <= sent and taken <= received <= self.length, "logical after physical time")
            self.links.append((thread, peer, time, received, size, tag))
        return time

    def check_states(self):
        ends = {}
        for thread, begin, end, _ in self.states:
            need(ends.get(thread, 0) <= begin, "states of thread %d overlap at %d", thread, begin)
            ends[thread] = end

    def check_stacks(self):
        """States from their events: thread, type, begin, end, depth, value."""
        stacks, self.stacked = collections.defaultdict(list), []
        for thread, time, kind, value in self.events:
            if 900000000 < kind < 910000000:
                stack = stacks[thread, kind]
                if value:
                    stack.append((time, value))
                else:
                    need(stack, "0 of type %d without a state, at %d", kind, time)
                    begin, what = stack.pop()
                    self.stacked.append((thread, kind, begin, time, len(stack), what))
        need(not any(stacks.values()), "a state does not end")

    def name(self, thread):
        label = self.rows["THREAD"][thread]
        task = max(i for i, first in enumerate(self.first) if first <= thread)
        prefix = self.rows["TASK"][task] + "/"
        return (label[len(prefix):] if label.startswith(prefix) else label).strip(" ")


# ---- the entities of a trace, with names as they are in these files

def plain(name):
    return "".join(" " if c < " " else c for c in name).strip(" ") or '""'


def pajewrite_name(name):
    return "".join("_" if c < " " or c in "\"'%#,\x7f" else c for c in name).strip(" ") or "_"


def time(text):
    return int((Decimal(text) * NANOSECONDS).to_integral_value())


def tables(paje, trace, folder, unit="s", filters=()):
    """A list of rows for each kind, as dictionaries, with times in seconds."""
    subprocess.run([paje, "csv", "-d", folder, "--unit", unit, *filters, trace], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    found = {}
    for kind in "containers", "states", "events", "variables", "links":
        with open("%s/%s.csv" % (folder, kind), encoding="utf-8", errors="surrogateescape", newline="") as file:
            found[kind] = list(csv.DictReader(file))
    return found


def entities(found, fix):
    """Sorted lists of what the files of Paraver keep."""
    names = {row["Path"]: fix(row["Name"]) for row in found["containers"]}
    names["/"] = "0"
    of = lambda row: (names[row["Container"]], fix(row["Type"]))
    got = {"states": [], "events": [], "variables": [], "links": []}
    for row in found["states"]:
        got["states"].append((*of(row), time(row["Start"]), time(row["End"]), int(row["Imbrication"]), fix(row["Value"])))
    for row in found["events"]:
        got["events"].append((*of(row), time(row["Time"]), fix(row["Value"])))
    for row in found["variables"]:
        got["variables"].append((*of(row), time(row["Start"]), Decimal(row["Value"])))
    for row in found["links"]:
        got["links"].append((names[row["From"]], names[row["To"]], time(row["Start"]), time(row["End"])))
    return {kind: sorted(rows) for kind, rows in got.items()}


def without_alias(name, doubles):
    return re.sub(r" \(.*\)$", "", name) if name in doubles else name


def written(trace):
    """The entities that the files have, in the form of entities()."""
    kind_of = lambda kind: without_alias(trace.labels.types[kind]["name"], trace.doubles)
    value = lambda kind, number: trace.labels.types[kind]["values"][number]
    got = {"states": [], "events": [], "variables": [], "links": []}
    for thread, kind, begin, end, depth, what in trace.stacked:
        got["states"].append((trace.name(thread), kind_of(kind), begin, end, depth, value(kind, what)))
    for thread, when, kind, number in trace.events:
        if kind > 920000000:
            got["variables"].append((trace.name(thread), kind_of(kind), when, number / trace.labels.types[kind]["scale"]))
        elif kind > 910000000:
            got["events"].append((trace.name(thread), kind_of(kind), when, value(kind, number)))
    for one, other, start, end, _, _ in trace.links:
        got["links"].append((trace.name(one), trace.name(other), start, end))
    return {kind: sorted(rows) for kind, rows in got.items()}


def is_near(one, other):
    if len(one) == 4 and isinstance(one[3], Decimal):
        return one[:3] == other[:3] and abs(one[3] - other[3]) <= max(Decimal("1e-9"), abs(other[3]) * Decimal("1e-15"))
    return one == other


def compare(expected, got, what):
    for kind in expected:
        need(len(expected[kind]) == len(got[kind]), "%s: %d %s, not %d", what, len(got[kind]), kind, len(expected[kind]))
        for one, other in zip(expected[kind], got[kind]):
            need(is_near(one, other), "%s: %s: %s, not %s", what, kind, other, one)


def check_innermost(trace):
    """State records are the innermost states of one type of each thread."""
    records, pieces = collections.defaultdict(list), collections.defaultdict(list)
    for thread, begin, end, state in trace.states:
        records[thread].append((begin, end, trace.labels.states[state].lower()))
    stacks = collections.defaultdict(list)
    for thread, when, kind, value in trace.events:
        if 900000000 < kind < 910000000:
            stack = stacks[thread, kind]
            if stack and stack[-1][0] < when:
                pieces[thread, kind].append((stack[-1][0], when, stack[-1][1]))
            if value:
                stack.append([when, trace.labels.types[kind]["values"][value].lower()])
            else:
                stack.pop()
            if stack:
                stack[-1][0] = when
    for thread, some in records.items():
        need(any(some == pieces[key] for key in list(pieces) if key[0] == thread),
             "the states of thread %d are not the innermost ones", thread)
    for thread, _ in pieces:
        need(records[thread] or not pieces[thread, _], "thread %d has no state records", thread)


def try_trace(paje, folder, trace, filters):
    base = folder + "/out"
    written_by = subprocess.run([paje, "paraver", "--memory", "64K", "-o", base, *filters, trace],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    need(written_by.returncode in (0, 1), "paraver: exit status %d: %s", written_by.returncode, written_by.stderr[:200])
    unit = "ms" if b"taken for milliseconds" in written_by.stderr else "s"
    got, found = Trace(base), tables(paje, trace, folder + "/tables", unit, filters)
    if filters:  # containers of links may be others
        found["containers"] = tables(paje, trace, folder + "/tables", unit)["containers"]
        need(any(found[kind] for kind in ("states", "events", "variables")), "the filters leave nothing")
    names = [entry["name"] for entry in got.labels.types.values()]
    types = {plain(row["Type"]) for kind in found.values() for row in kind}
    got.doubles = {name for name in names if name not in types}  # with an alias behind
    expected = entities(found, plain)
    compare(expected, written(got), "written")
    if not filters:
        check_innermost(got)
        latest = max(time(row["End"]) for row in found["containers"])
        need(got.length == latest or b" s, which is 0 in " in written_by.stderr, "length %d, not %d", got.length, latest)
    with open(folder + "/back.trace", "wb") as file:
        status = subprocess.run([paje, "import", base + ".prv"], stdout=file).returncode
    need(status == 0, "import: exit status %d", status)
    valid = subprocess.run([paje, "validate", "--strict", folder + "/back.trace"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    need(valid.returncode == 0, "what is read back is not valid: %s", valid.stdout[:200])
    back = tables(paje, folder + "/back.trace", folder + "/tables")
    back["states"] = [row for row in back["states"] if row["TypeAlias"] != "4"]  # the state records
    doubles = {pajewrite_name(name) for name in got.doubles}
    for kind in back.values():
        for row in kind:
            if row["Type"] in doubles:
                row["Type"] = re.sub(r" \(.*\)$", "", row["Type"])
    back["variables"] = segments(back["variables"])
    found["variables"] = segments(found["variables"])
    compare(entities(found, lambda name: pajewrite_name(plain(name))), entities(back, lambda name: name.strip(" ")), "read back")


def segments(rows):
    return [row for row in rows if row["Value"] != "null"]


def main():
    if sys.argv[1] == "check":
        Trace(sys.argv[2])
        return 0
    paje, folder, *pairs = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for name, trace in zip(pairs[::2], pairs[1::2]):
        try:
            *filters, trace = trace.split()
            try_trace(paje, folder, trace, filters)
            print("PASS tool paraver: %s" % name)
        except (Wrong, KeyError, IndexError, AttributeError) as error:
            print("FAIL tool paraver: %s: %s: %s" % (name, type(error).__name__, str(error)[:300]))
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
