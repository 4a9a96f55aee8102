"""PAJE FOLDER COUNT: `paje efficiency` of random traces, against the longest path through the graph of their events."""
import importlib.util
import json
import subprocess
import sys

tool, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])

spec = importlib.util.spec_from_file_location("mpi", "tests/tool/lib-mpi.py")
mpi = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mpi)


class Window:
    """What happens from `low` to `high`, on a network without delay."""

    def __init__(self, program, low, high, is_slice=False):
        self.program, self.low, self.high, self.known = program, low, high, {}
        self.last = high - 0.5 if is_slice else high  # at the end of a slice the next one has begun
        self.before = {}
        for events in program.by_rank:
            depth, last = 0, None
            for e in events:
                self.before[e] = last, depth
                depth += mpi.is_call(e.value) * ((e.kind == "push") - (e.kind == "pop"))
                last = e

    def clip(self, time):
        return min(max(time, self.low), self.high)

    def outside(self, rank, low, high):
        """The time of a rank outside of calls."""
        total, depth, last = 0, 0, self.program.start[rank]
        for e in self.program.by_rank[rank] + [mpi.Event(rank, self.program.end[rank], "", "")]:
            if depth == 0:
                total += max(0, min(e.time, high) - max(last, low))
            depth += mpi.is_call(e.value) * ((e.kind == "push") - (e.kind == "pop"))
            last = e.time
        return total

    def ideal(self, e):
        """The ideal clock of a rank just after an event."""
        stack = [e]
        while stack:
            one = stack[-1]
            needed = [x for x in [self.before[one][0]] + one.after if x is not None and x not in self.known]
            if needed:
                stack += needed
                continue
            stack.pop()
            last, depth = self.before[one]
            clock = self.known[last] if last else self.clip(self.program.start[one.rank])
            since = last.time if last else self.program.start[one.rank]
            clock += 0 if depth else self.clip(one.time) - self.clip(since)
            for other in one.after:
                if other.time >= self.low and one.time <= self.last:
                    clock = max(clock, self.known[other])
            self.known[one] = clock
        return self.known[e]

    def cut(self, ranks, clocks):
        """A rank in a collective operation at the end has waited for those that have begun it; for others still does."""
        low, high, found = self.low, self.high, []
        for r, clock in zip(ranks, clocks):
            for e in self.program.by_rank[r]:
                begun = self.before[e][0]
                if e.value not in mpi.ALL + mpi.FROM + mpi.TO + mpi.SCAN or e.kind != "pop" or not begun.time <= high < e.time:
                    continue
                clock = max([clock] + [self.ideal(n) for n in e.after if low <= n.time <= high])
                if self.program.numbered and e.value not in mpi.SCAN and any(n.time > high for n in e.after):
                    clock = max([clock] + clocks)
            found.append(clock)
        return found

    def figures(self):
        """Figures of the processes that communicate, at any time."""
        ranks = [r for r in range(self.program.ranks)
                 if any(mpi.is_call(e.value) for e in self.program.by_rank[r]) and
                 self.clip(self.program.end[r]) > self.clip(self.program.start[r])]
        if not ranks:
            return None
        start = min(self.clip(self.program.start[r]) for r in ranks)
        end = max(self.clip(self.program.end[r]) for r in ranks)
        useful = [self.outside(r, self.low, self.high) for r in ranks]
        clocks = []
        for r in ranks:
            last = self.program.by_rank[r][-1]
            clocks.append(self.ideal(last) + self.clip(self.program.end[r]) - self.clip(last.time))
        clocks = self.cut(ranks, clocks)
        return {"processes": len(ranks), "runtime": end - start, "useful": sum(useful), "most": max(useful),
                "ideal": max(clocks) - start, "clocks": dict(zip(ranks, clocks)), "outside": dict(zip(ranks, useful))}


def phase_figures(program, name):
    """The stretches of time in which any rank that ever communicates is in the function, in the order of lines."""
    inside, stretches, exits, part = set(), [], [], {}
    callers = {e.rank for e in program.events if mpi.is_call(e.value)}
    lines = {}
    for e in program.events:
        lines.setdefault(e.text % e.time + "\n", []).append(e)
    for text in program.order:
        for e in lines.get(text, [])[:1]:
            lines[text].pop(0)
            if e.value != name or e.rank not in callers:
                continue
            if e.kind == "push":
                if not inside:
                    start, exits = e.time, []
                inside.add(e.rank)
                part.setdefault(e.rank, []).append(e.time)
            else:
                inside.remove(e.rank)
                exits.append(e)
                part[e.rank][-1] = part[e.rank][-1], e.time
                if not inside:
                    stretches.append((start, e.time, exits))
    runtime = sum(end - start for start, end, _ in stretches)
    ideal = 0
    for start, end, exits in stretches:
        window = Window(program, start, end)
        ideal += max(window.ideal(e) for e in exits) - start
    window = Window(program, 0, 1e9)
    useful = [sum(window.outside(r, a, b) for a, b in part[r]) for r in part if sum(b - a for a, b in part[r]) > 0]
    return {"processes": len(useful), "runtime": runtime, "useful": sum(useful), "most": max(useful, default=0),
            "ideal": ideal} if useful else None


def ratio(a, b):
    return a / b if b > 0 else None


def compare(what, got, want):
    p, t, m, i = want["processes"], want["runtime"], want["most"], want["ideal"]
    expected = {"processes": p, "runtime": t, "useful": want["useful"], "ideal_runtime": i,
                "parallel_efficiency": ratio(want["useful"] / p, t), "load_balance": ratio(want["useful"] / p, m),
                "communication_efficiency": ratio(m, t), "serialization": ratio(m, i), "transfer": ratio(i, t)}
    for name, value in expected.items():
        if got[name] is None and name in ("ideal_runtime", "serialization", "transfer") and not want.get("known", True):
            continue
        if got[name] != value and (got[name] is None or value is None or abs(got[name] - value) > 1e-9 * max(1, abs(value))):
            return "%s: %s is %s in place of %s" % (what, name, got[name], value)
    return None


def run(*words):
    done = subprocess.run([tool, "efficiency", *words, folder + "/t.trace"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("FAIL tool efficiency: %s: %s" % (" ".join(words), done.stderr))
    return done.stdout, done.stderr


failed, compared, known = 0, 0, 0
for seed in range(count):
    program = mpi.Program(seed)
    open(folder + "/t.trace", "w").write(program.text())
    last = max(program.end)
    inner = (last // 4, last - last // 3)
    problems = []
    for low, high, words in [(0, 1e9, ["--phase", "solve", "--phase", "exchange"])] + \
            [(inner[0], inner[1], ["-s", str(inner[0]), "-e", str(inner[1])])] * (inner[1] > inner[0]):
        output, errors = run("--format", "json", *words)
        parts = json.loads(output)
        window = Window(program, low, high)
        want = window.figures()
        whole = [p for p in parts if p["part"] == "whole"]
        if bool(whole) != bool(want and want["runtime"] > 0):
            problems.append("whole: %s in place of %s" % (whole, want))
        if not whole or not want:
            continue
        processes = sum(p["part"] == "process" for p in parts)
        if processes != want["processes"]:
            problems.append("%d rows of processes in place of %d" % (processes, want["processes"]))
        phases = {p["name"] for p in parts if p["part"] == "phase"}
        missing = {name for name in ("solve", "exchange") if "--phase" in words and phase_figures(program, name)} - phases
        if missing:
            problems.append("no phase %s" % ", ".join(missing))
        is_known = whole[0]["serialization"] is not None or "not known" not in errors
        known += is_known
        want["known"] = is_known
        problems.append(compare("whole " + " ".join(words), whole[0], want))
        for p in parts:
            compared += 1
            if p["part"] == "process":
                r = int(p["name"].split("/")[1][1:])
                if abs(p["useful"] - want["outside"][r]) > 1e-9:
                    problems.append("%s: useful %s" % (p["name"], p["useful"]))
                if p["waiting"] is not None:
                    waiting = want["clocks"][r] - window.clip(program.start[r]) - want["outside"][r]
                    if abs(p["waiting"] - waiting) > 1e-9:
                        problems.append("%s: waits %s in place of %s" % (p["name"], p["waiting"], waiting))
                    present = window.clip(program.end[r]) - window.clip(program.start[r])
                    if abs(p["useful"] + p["waiting"] + p["transferring"] - present) > 1e-9 or p["transferring"] < -1e-9:
                        problems.append("%s: the sum is not its time" % p["name"])
                sent = [e for e in program.by_rank[r] if e.kind == "start" and low <= e.time <= high]
                if (p["messages"], p["bytes"]) != (len(sent), sum(e.bytes for e in sent)):
                    problems.append("%s: %s messages, %s bytes" % (p["name"], p["messages"], p["bytes"]))
            if p["part"] == "phase":
                of = phase_figures(program, p["name"])
                if not of:
                    problems.append("phase %s: there is none" % p["name"])
                    continue
                of["known"] = is_known
                problems.append(compare("phase " + p["name"], p, of))
    slices = [p for p in json.loads(run("--format", "json", "--slice", "16")[0]) if p["part"] == "slice"]
    there = [low for low in range(min(program.start) // 16 * 16, last, 16)
             if (Window(program, low, min(low + 16, last), low + 16 <= last).figures() or {"runtime": 0})["runtime"] > 0]
    if [p["start"] // 16 * 16 for p in slices] != there:
        problems.append("slices at %s in place of %s" % ([p["start"] for p in slices], there))
    for p in slices:
        low = p["start"] // 16 * 16
        window = Window(program, low, min(low + 16, last), low + 16 <= last)
        want = window.figures()
        want["known"] = p["serialization"] is not None
        compared += 1
        problems.append(compare("slice at %g" % low, p, want))
    problems = [p for p in problems if p]
    if problems:
        failed = 1
        print("FAIL tool efficiency: seed %d: %s" % (seed, problems[0]))
        if failed and "-v" in sys.argv:
            break
if known < count:
    failed = 1
    print("FAIL tool efficiency: the ideal run time is known %d times only" % known)
if not failed:
    print("PASS tool efficiency: %d random traces, %d parts, %d times the ideal run time is known" % (count, compared, known))
sys.exit(failed)
