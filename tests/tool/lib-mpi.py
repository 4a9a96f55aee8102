"""Random programs of processes that send messages and take part in collective operations, with calls as `paje trace`
writes them: their events, and their traces."""
import random

HEADER = open("tests/tool/header.trace").read() + """%EventDef PajePushState 90
%  Time date
%  Type string
%  Container string
%  Value string
%  Communicator string
%  Root int
%  Bytes int
%  Instance int
%  Rank int
%  Size int
%EndEventDef
%EventDef PajeStartLink 91
%  Time date
%  Type string
%  Container string
%  StartContainer string
%  Value string
%  Key string
%  Bytes int
%EndEventDef
0 P 0 Process
0 T P Thread
1 S T State
4 L 0 T T Message
"""

ALL, FROM, TO, SCAN = ["MPI_Barrier", "MPI_Allreduce", "MPI_Alltoallv"], ["MPI_Bcast", "MPI_Scatterv"], \
    ["MPI_Reduce", "MPI_Gather"], ["MPI_Scan", "MPI_Exscan"]


class Event:
    """Of a rank: it begins or ends a state, or is an end of a message.  `after`: events of others that it waits for."""

    def __init__(self, rank, time, kind, text, value=""):
        self.rank, self.time, self.kind, self.text, self.value = rank, time, kind, text, value
        self.after = []
        self.bytes = 0


class Program:
    def __init__(self, seed):
        self.random = r = random.Random(seed)
        self.numbered = seed % 4 != 3  # collective operations have numbers
        self.ranks = r.randint(1, 6)
        self.least = r.choice([0, 1])
        self.clock = [r.randint(0, 5) for _ in range(self.ranks)]
        self.start = list(self.clock)
        self.events, self.by_rank = [], [[] for _ in range(self.ranks)]
        self.instances, self.groups = {}, {"w": list(range(self.ranks))}
        self.keys = 0
        self.operations = []  # those with numbers: name, communicator, number, and of each rank its begin and for whom it waits
        while len(self.groups) < 4 and self.numbered and self.ranks > 1:
            members = r.sample(range(self.ranks), r.randint(1, self.ranks))
            self.groups["g%d" % len(self.groups)] = members
        for _ in range(r.randint(5, 80)):
            r.choice([self.compute, self.compute, self.message, self.collective, self.phase])()
        last = max(self.clock)
        self.end = [r.randint(c, last) for c in self.clock]

    def add(self, rank, kind, text, value=""):
        one = Event(rank, self.clock[rank], kind, text, value)
        self.events.append(one)
        self.by_rank[rank].append(one)
        return one

    def delay(self):
        return self.random.choice([0, 0, 1, 2, 7]) + self.least

    def compute(self):
        for rank in range(self.ranks):
            if self.random.random() < 0.6:
                self.clock[rank] += self.random.randint(0, 20)

    def push(self, rank, value):
        self.add(rank, "push", '11 %%g S t%d "%s" x 1' % (rank, value), value)

    def pop(self, rank, value):
        return self.add(rank, "pop", "12 %%g S t%d x" % rank, value)

    def phase(self):
        """Some ranks are in a function for a while."""
        r = self.random
        members = [rank for rank in range(self.ranks) if r.random() < 0.7]
        name = r.choice(["solve", "exchange"])
        for rank in members:
            self.push(rank, name)
        for _ in range(r.randint(0, 4)):
            r.choice([self.compute, self.message, self.collective])()
        for rank in members:
            self.pop(rank, name)

    def message(self):
        if self.ranks < 2:
            return
        r = self.random
        source, target = r.sample(range(self.ranks), 2)
        self.keys += 1
        self.push(source, "MPI_Send")
        start = self.add(source, "start", "91 %%g L 0 t%d m k%d %d" % (source, self.keys, self.keys))
        start.bytes = self.keys
        self.clock[source] += self.delay()
        self.pop(source, "MPI_Send")
        call = r.choice(["MPI_Recv", "MPI_Wait", ""])
        if call:
            self.push(target, call)
        self.clock[target] = max(self.clock[target], start.time) + self.delay()
        end = self.add(target, "end", "41 %%g L 0 t%d m k%d x" % (target, self.keys))
        end.after = [start]
        if call:
            self.pop(target, call)

    def collective(self):
        r = self.random
        name = r.choice(list(self.groups))
        members = list(self.groups[name])
        value = r.choice(ALL + FROM + TO + SCAN if self.numbered else ALL[:1])
        root = r.randrange(len(members)) if value in FROM + TO else -1
        self.instances[name] = number = self.instances.get(name, 0) + 1
        begins = {}
        order = list(range(len(members)))
        r.shuffle(order)
        if value in FROM:
            order.sort(key=lambda i: i != root)
        for i in order:
            fields = " %s %d 8 %d %d %d" % (name, root, number, i, len(members)) if self.numbered else ""
            begins[i] = self.add(members[i], "push", "%d %%g S t%d %s%s" % (
                90 if self.numbered else 11, members[i], value, fields or " x 1"), value)
        self.operations += [(value, name, number, {})] * self.numbered
        for i in range(len(members)):
            if value in ALL or value in TO and i == root:
                needed = [begins[j] for j in begins]
            elif value in FROM and i != root:
                needed = [begins[root]]
            elif value in SCAN:
                needed = [begins[j] for j in begins if j < i]
            else:
                needed = []
            self.clock[members[i]] = max([self.clock[members[i]]] + [e.time for e in needed]) + self.delay()
            self.pop(members[i], value).after = needed
            if self.numbered:
                self.operations[-1][3][members[i]] = begins[i], needed

    def text(self):
        """The lines in order of time; those of one time as they were made, or mixed if nothing waits for nothing."""
        lines = [(e.time, i, e.rank, e.text % e.time) for i, e in enumerate(self.events)]
        if self.least:
            at = {}
            for time, i, rank, text in lines:
                at.setdefault(time, {}).setdefault(rank, []).append((i, text))
            lines, position = [], {}
            for time in sorted(at):
                ranks = list(at[time])
                self.random.shuffle(ranks)
                for rank in ranks:
                    lines += [(time, 0, rank, text) for i, text in at[time][rank]]
        else:
            lines.sort(key=lambda one: one[:2])
        out = [HEADER]
        pending = [(t, 0, "6 %g p%d P 0 P%d x\n6 %g t%d T p%d main x\n" % (t, r, r, t, r, r)) for r, t in enumerate(self.start)]
        pending += [(t, 2, "7 %g T t%d\n7 %g P p%d\n" % (t, r, t, r)) for r, t in enumerate(self.end)]
        pending += [(t, 1, text + "\n") for t, _, _, text in lines]
        pending.sort(key=lambda one: one[:2])
        self.order = [text for _, rank, text in pending]
        return "".join(out + self.order)


def is_call(value):
    return value.startswith("MPI_")
