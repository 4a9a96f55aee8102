"""FOLDER STEPS SEED KIND...: files of four ranks whose clocks are up to 50 ms apart and drift by up to 50 ppm, and which
have nothing in common but collective operations of these kinds.  Prints how far each clock is ahead of the first one at
the beginning and at the end.  The kind `jitter` is a barrier at which the clock of rank 1 is wrong by 0.4 ms more, now
ahead, now behind."""
import random
import sys

folder, steps, seed, kinds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
RANKS = 4
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
0 P 0 Process
1 S P State
"""

r = random.Random(seed)
offset = [0] + [r.uniform(-0.05, 0.05) for _ in range(RANKS - 1)]
drift = [0] + [r.uniform(-50e-6, 50e-6) for _ in range(RANKS - 1)]
lines = [["6 1 p%d P 0 rank%d x" % (rank, rank)] for rank in range(RANKS)]
now = [0.1] * RANKS


def say(rank, event, rest, more=0):
    lines[rank].append("%s %.9f %s" % (event, 1 + now[rank] * (1 + drift[rank]) + offset[rank] + more, rest))


for step in range(1, steps + 1):
    kind = kinds[step % len(kinds)]
    jitter = 0.4e-3 * (-1) ** step if kind == "jitter" else 0
    kind = "MPI_Barrier" if jitter else kind
    root = step % RANKS if kind in ("MPI_Bcast", "MPI_Reduce") else -1
    begin = []
    for rank in range(RANKS):
        now[rank] += 1e-3 if jitter else r.uniform(1e-3, 2e-2)
        begin.append(now[rank])
        say(rank, 90, "S p%d %s w %d 8 %d %d %d" % (rank, kind, root, step, rank, RANKS), jitter * (rank == 1))
    for rank in range(RANKS):
        if kind == "MPI_Bcast":
            now[rank] = max(now[rank], begin[root])
        elif kind in ("MPI_Scan", "MPI_Exscan"):
            now[rank] = max([now[rank]] + begin[:rank])
        elif root < 0 or rank == root:
            now[rank] = max(begin)
        now[rank] += r.uniform(2e-6, 2e-5)
        say(rank, 12, "S p%d x" % rank, jitter * (rank == 1))
for rank in range(RANKS):
    open("%s/rank%d.trace" % (folder, rank), "w").write(HEADER + "\n".join(lines[rank]) + "\n")
    print("%.9f %.9f" % (offset[rank], offset[rank] + drift[rank] * now[rank]))
