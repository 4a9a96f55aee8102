"""PAJE FOLDER NAME TRACE [NAME TRACE]...: what `paje chrome` prints is strict JSON and has the entities of the tables
of `paje csv`, and the importer of ui.perfetto.dev sees all of them."""
import collections
import json
import sys

from cases import case, run
from entities import expected, ns, rows, without_times
import cases

tool, folder, *traces = sys.argv[1:]


def unique(pairs):
    assert len(dict(pairs)) == len(pairs), "a name comes twice: %s" % pairs
    return dict(pairs)


def refuse(text):
    raise ValueError(text + " is no JSON")


class Seen:
    """The entities in a list of events; `flows`: (id, name) to {phase: (pid, tid, time)}."""

    def __init__(self, events):
        self.entities, self.flows, self.path = collections.Counter(), {}, {}
        self.slices = collections.defaultdict(list)
        stacks, thread, last = collections.defaultdict(list), {}, {}
        for e in events:
            phase, pid, tid = e["ph"], e["pid"], e.get("tid")
            if phase == "M":
                if e["name"] == "process_name":
                    assert pid not in self.path
                    self.path[pid] = e["args"]["name"]
                elif e["name"] == "thread_name":
                    assert tid not in thread and tid not in self.path
                    thread[tid] = e["args"]["name"]
                continue
            time, where = round(e["ts"] * 1000), self.path[pid]
            if phase in "BE":
                assert time >= last.get(tid, time), "back in time"
                last[tid] = time
            if phase == "B":
                stacks[tid].append((time, e["name"]))
            elif phase == "E":
                start, name = stacks[tid].pop()
                self.slices[tid].append((start, time))
                self.entities["State", where, thread[tid], start, time, len(stacks[tid]), name] += 1
            elif phase == "i":
                self.entities["Event", where, thread[tid], time, e["name"]] += 1
            elif phase == "C":
                self.entities["Variable", where, e["name"], time, e["args"]["value"]] += 1
            elif phase == "X":
                self.slices[tid].append((time, time + 1))
            else:
                assert phase in "sf" and e["bp"] == "e"
                ends = self.flows.setdefault((e["id"], e["name"]), {})
                assert phase not in ends, ("a number for two flows", e)
                ends[phase] = pid, tid, time
        assert not any(stacks.values()), "slices that do not end"
        for (_, name), ends in self.flows.items():
            if len(ends) == 2:
                (pid, tid, time), (to_pid, to_tid, to_time) = ends["s"], ends["f"]
                self.entities["Link", name, self.path[pid], self.path[to_pid], time, to_time] += 1
                for thread_id, at in (tid, time), (to_tid, to_time):
                    if len(self.slices[thread_id]) < 1000:
                        assert any(a <= at <= b for a, b in self.slices[thread_id]), "an arrow without a slice"


def imported(events):
    """As Perfetto's importer sees them: in order of time, and of the file where that is the same.  An arrow goes from
    and to the topmost slice that is open on its thread then.  Returns the flows that end before they begin, which it
    leaves out."""
    open_slices, started, backward = collections.defaultdict(list), set(), []
    pids = {e["pid"] for e in events}
    for e in sorted((e for e in events if e["ph"] != "M"), key=lambda e: e["ts"]):
        phase, time, stack = e["ph"], round(e["ts"] * 1000), open_slices[e.get("tid")]
        assert all(type(e[key]) is int and 0 < e[key] < 2 ** 32 for key in ("pid", "tid") if key in e), e
        assert e.get("tid") not in pids, "a thread and a process of one number"
        end = time + round(e.get("dur", 0) * 1000)
        if phase == "C":
            assert type(e["args"]["value"]) in (int, float), e
        elif phase in "BXi":
            while stack and stack[-1] is not None and stack[-1] <= time and not stack[-1] == time == end:
                stack.pop()
            inner = [one for one in stack if one is not None]
            assert phase == "B" or not inner or end <= inner[-1], ("it overlaps what is open", e)
            stack.append(None if phase == "B" else end)
        elif phase == "E":
            assert stack and stack.pop() is None, ("an end of no slice", e)
        else:
            assert stack and (stack[-1] is None or stack[-1] >= time), ("an arrow without a slice", e)
            if phase == "s":
                started.add((e["id"], e["name"]))
            elif (e["id"], e["name"]) not in started:
                backward.append((e["id"], e["name"]))
    assert not any(None in stack for stack in open_slices.values()), "slices that do not end"
    return backward


for name, trace in zip(traces[::2], traces[1::2]):
    @case(name)
    def _():
        run(tool, "csv", "-d", folder, trace)
        answer = run(tool, "chrome", "--unit", "s", trace)
        events = json.loads(answer.stdout.decode("utf-8"), parse_constant=refuse, object_pairs_hook=unique)
        seen, entities = Seen(events), expected(folder)
        got = seen.entities
        if b"began or ended before" in answer.stderr:
            got, entities = without_times(got), without_times(entities)
        else:
            # Links of the table that end before they start may be left out.
            lost = sum(len(seen.flows[flow]) == 2 for flow in imported(events))
            assert lost == sum(ns(r["End"]) < ns(r["Start"]) for r in rows(folder, "links")), lost
        assert got == entities, (list(entities - got)[:2], list(got - entities)[:2])

sys.exit(cases.failed)
