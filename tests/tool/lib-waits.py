"""Random traces of processes that send messages, and of the project: their states and links, for waits.sh and
critical.sh, which compute from them again what the tool computes in one pass."""
import csv, random, subprocess, sys

HEADER = open("tests/tool/header.trace").read() + """%EventDef PajeNewEvent 92
%  Time date
%  Type string
%  Container string
%  Value string
%  Key string
%EndEventDef
0 P 0 Process
0 T P Thread
0 Q P Queue
1 S T "Thread state"
1 S2 T Phase
4 L 0 P P Message
2 E T Sent
"""

class State:
    def __init__(self, place, type, value, start, end, depth, order=0, rank=0):
        self.place, self.type, self.value, self.rank = place, type, value, rank  # of the type defined first the greatest
        self.start, self.end, self.depth, self.order = start, end, depth, order

class Link:
    def __init__(self, type, value, source, target, start, end, sent=0, received=0, key=None):
        self.type, self.value, self.source, self.target = type, value, source, target
        self.start, self.end, self.sent, self.received = start, end, sent, received
        self.key, self.done = key, None  # done: when the sender has waited until it was sent

def generate(seed, length=1, waits=False):
    """Returns the text, the states and the links of a trace whose clock is so coarse that much happens at once."""
    r = random.Random(seed)
    ranks, last = r.randint(2, 5), length * r.randint(20, 120)
    lines = []  # (time, what comes at once keeps its order within a stream, text)
    streams, states, opened = [], [], {}
    for rank in range(ranks):
        at, depth, stream = 0, 0, []
        while at < last:
            at += r.choice([0, 0, 1, 1, 2, 5])
            what = r.choice(["push", "push", "pop", "pop", "set", "reset"])
            if at >= last:
                break
            if what in ("push", "set"):
                stream.append((at, what, r.choice(["recv", "send", "compute", "wait"])))
            elif what == "pop" and depth:
                stream.append((at, "pop", None))
            elif what == "reset":
                stream.append((at, "reset", None))
            depth = depth + 1 if what == "push" else 1 if what == "set" else 0 if what == "reset" else max(depth - 1, 0)
        streams.append([(t, rank, "S", w, v) for t, w, v in stream])
        if r.random() < 0.5:
            times = sorted(r.sample(range(last), min(last, 6)))
            streams.append([(t + (r.choice([0, 0.5]) if waits else 0.5), rank, "S2", "set", "phase %d" % i)
                            for i, t in enumerate(times)])
    for i in range(length * r.randint(0, 40)):
        start = r.randint(0, last - 1)
        end = min(last - 1, start + r.choice([0, 0, 1, 2, 3, 8, -1]))
        if end < 0:
            continue
        source, target = r.sample(range(ranks), 2)
        streams.append([(start, source, "L", "start", "k%d" % i)])
        streams.append([(end, target, "L", "end", "k%d" % i)])
        if waits and r.random() < 0.6:
            done = min(last - 1, max(start, end + r.choice([-2, -1, 0, 0, 1, 2, 8])))
            streams.append([(done, source, "E", "sent", "k%d" % i)])
    heads, done = [0] * len(streams), {}
    text, stacks, halves, links, order = [HEADER], {}, {}, [], 0
    for rank in range(ranks):
        text.append('6 0 p%d P 0 P%d %d\n6 0 q%d Q p%d Q%d 0\n6 0 t%d T p%d T%d 0\n' % ((rank,) * 9))
    def close(place, type, time):
        state = stacks[place, type].pop()
        state.end, state.order = time, order
        states.append(state)
    while True:
        times = [s[h][0] for s, h in zip(streams, heads) if h < len(s)]
        if not times:
            break
        now = min(times)
        which = r.choice([i for i, (s, h) in enumerate(zip(streams, heads)) if h < len(s) and s[h][0] == now])
        time, rank, type, what, value = streams[which][heads[which]]
        heads[which] += 1
        order += 1
        if type == "E":
            done[value] = time
            text.append("92 %g E t%d x %s\n" % (time, rank, value))
            continue
        if type == "L":
            text.append("%d %g L 0 p%d m %s 0\n" % (40 if what == "start" else 41, time, rank, value))
            first = halves.pop(value, None)
            if not first:
                halves[value] = (what, rank, time, order)
                continue
            ends = {first[0]: first[1:], what: (rank, time, order)}
            links.append(Link("Message", "m", "T%d" % ends["start"][0], "T%d" % ends["end"][0], ends["start"][1],
                              ends["end"][1], ends["start"][2], ends["end"][2], value))
            continue
        stack = stacks.setdefault(("T%d" % rank, type), [])
        if what in ("set", "reset"):
            while stack:
                close("T%d" % rank, type, time)
        if what in ("push", "set"):
            stack.append(State("T%d" % rank, {"S": "Thread state", "S2": "Phase"}[type], value, time, None, len(stack),
                               rank=-(type == "S2")))
            text.append("%d %g %s t%d \"%s\" x%s\n" % (11 if what == "push" else 10, time, type, rank, value,
                                                   " 1" if what == "push" else ""))
        elif what == "pop":
            close("T%d" % rank, type, time)
            text.append("12 %g %s t%d x\n" % (time, type, rank))
        else:
            text.append("13 %g %s t%d x\n" % (time, type, rank))
    text.append("6 %d end P 0 end 0\n" % last)
    order += 1
    for place in ["T%d" % rank for rank in range(ranks)]:
        for type in ("S", "S2"):
            while stacks.get((place, type)):
                close(place, type, last)
    for link in links:
        link.done = done.get(link.key)
    paths = {"T%d" % rank: "/P%d/T%d" % (rank, rank) for rank in range(ranks)}
    return "".join(text), states, links, paths

def read(paje, trace):
    """The states, links and paths of any trace, from its dump; None if names are not unique."""
    run = lambda *words: subprocess.run([paje, *words, trace], capture_output=True, text=True, errors="replace").stdout
    with_states = {parent for parent, name, kind in
                   (line.rsplit(", ", 1)[0].split(", ") + [line.rsplit(", ", 1)[1]]
                    for line in run("info", "--types").splitlines()[1:] if line.count(", ") == 2) if kind == "State"}
    states, links, parent, types, children, order = [], [], {}, {}, {}, 0
    dump = [line.split(", ") for line in run("dump", "-z", "-l", "15").splitlines()]
    for f in dump:
        if f[0] == "Container":
            if f[6] in parent:
                return None
            parent[f[6]], types[f[6]] = f[1], f[2]
            children.setdefault(f[1], []).append((float(f[3]), f[6]))
    def place(name):
        at = name
        while types[at] not in with_states:
            below = [c for c in sorted(children.get(at, []), key=lambda c: c[0]) if c[1] != at]
            below = [c for c in below if types[c[1]] in with_states] or below
            if not below:
                return name
            if len(below) > 1 and below[0][0] == below[1][0] and "stencil" not in trace:
                raise KeyError(at)  # which of them is the first one is not known
            at = below[0][1] if "stencil" not in trace else min(c[1] for c in below)
        return at
    def path(name):
        return "/" if name == "0" else (path(parent[name]) if parent[name] != "0" else "") + "/" + name
    for f in dump:
        order += 1
        if f[0] == "State":
            states.append(State(f[1], f[2], f[7], float(f[3]), float(f[4]), float(f[6]), order))
        elif f[0] == "Link":
            links.append(Link(f[2], f[6], place(f[7]), place(f[8]), float(f[3]), float(f[4]), order, order))
    return states, links, {name: path(name) for name in parent}

def is_ordered(trace):
    """Whether the lines with times are in order, so that a state is on at the lines of its time."""
    last, timed, number = -1e300, set(), None
    for line in open(trace, errors="replace"):
        words = line.split()
        if words[:1] == ["%EventDef"]:
            number = words[2]
        elif words[:2] == ["%", "Time"]:
            timed.add(number)
        elif words and words[0] in timed:
            try:
                time = float(words[1])
            except (IndexError, ValueError):
                return False
            if time < last:
                return False
            last = time
    return True

def rows(paje, *words):
    done = subprocess.run([paje, *words], capture_output=True, text=True, errors="replace")
    if done.returncode > 1:
        raise SystemExit("%s: %s" % (" ".join(words), done.stderr))
    return list(csv.DictReader(done.stdout.splitlines(), strict=True))

def until(states, place, time, chosen=lambda s: True):
    """The state that is on just before an instant: the one that began last, of the type that was defined first."""
    on = [s for s in states[place] if s.start < time <= s.end and chosen(s)]
    return max(on, key=lambda s: (s.start, s.rank, s.depth), default=None)

def at(states, place, time, chosen=lambda s: True):
    on = [s for s in states[place] if s.start <= time < s.end and chosen(s)]
    return max(on, key=lambda s: (s.start, s.rank, s.depth), default=None)

def by_place(states):
    class Places(dict):
        def __missing__(self, name):
            return []
    places = Places()
    for s in states:
        places.setdefault(s.place, []).append(s)
    return places

def table(paje, *words):
    """The last table of a command: (time, pieces) by what stands behind them."""
    lines = subprocess.run([paje, *words], capture_output=True, text=True, errors="replace").stdout.split("\n\n")[-1]
    found = {}
    for line in lines.splitlines()[1:]:
        time, share, percent, pieces, what = line.split(None, 4)
        found[what] = (time, int(pieces))
    return found
