#!/usr/bin/env python3
"""Sums up the time of a trace by type and value of its states, by the workers of a Dask cluster.

usage: dask_profile.py [--parts N] [--workers N | --scheduler ADDRESS] [--kill] TRACE

Each task replays a part: `paje csv --part K/N` (the environment variable PAJE: another program than paje).  A task whose
worker dies is given to another one.  Run `paje index TRACE` before; all workers must see both files at the same path.
The rows are those of `paje profile --depth 0 --format csv TRACE`: type, value, count, total time.

--kill kills a worker with SIGKILL when the first part is done, to show that nothing is lost.
"""

import argparse
import collections
import csv
import decimal
import os
import signal
import subprocess
import sys
import tempfile

from dask.distributed import Client, LocalCluster, as_completed

HAS_ERRORS = 1  # the exit status of paje if the trace has errors; what is right in it is there


def replay(trace, part, parts):
    """Returns {(type, value): (count, time)} of the states of a part; times are decimals, so that sums are exact."""
    sums = collections.defaultdict(lambda: (0, decimal.Decimal(0)))
    with tempfile.TemporaryDirectory() as folder:
        command = [os.environ.get("PAJE", "paje"), "csv", "-d", folder, "--part", f"{part}/{parts}", trace]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode not in (0, HAS_ERRORS):
            raise RuntimeError(done.stderr.decode(errors="replace"))
        name = f"states.{part:0{len(str(parts))}}-of-{parts}.csv"
        with open(os.path.join(folder, name), newline="", errors="surrogateescape") as table:
            for row in csv.DictReader(table):
                count, time = sums[row["Type"], row["Value"]]
                sums[row["Type"], row["Value"]] = count + 1, time + decimal.Decimal(row["Duration"])
    return dict(sums)


def kill_worker(client):
    """Kills a worker that is at work."""
    busy = [worker for worker, tasks in client.processing().items() if tasks]
    pids = client.run(os.getpid)
    worker = busy[0] if busy else next(iter(pids))
    os.kill(pids[worker], signal.SIGKILL)
    print(f"killed the worker {worker}", file=sys.stderr)


def profile(client, trace, parts, kill):
    decimal.getcontext().prec = 50
    sums = collections.defaultdict(lambda: (0, decimal.Decimal(0)))
    tasks = client.map(replay, [trace] * parts, range(1, parts + 1), [parts] * parts, pure=False)
    for task in as_completed(tasks):
        for key, (count, time) in task.result().items():
            sums[key] = sums[key][0] + count, sums[key][1] + time
        if kill:
            kill_worker(client)
            kill = False
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("--parts", type=int, default=32)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--scheduler", help="the address of a scheduler that runs; without: one and its workers here")
    parser.add_argument("--kill", action="store_true")
    options = parser.parse_args()
    cluster = options.scheduler or LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        sums = profile(client, os.path.abspath(options.trace), options.parts, options.kill)
    if not options.scheduler:
        cluster.close()
    rows = csv.writer(sys.stdout, lineterminator="\n")
    for (kind, value), (count, time) in sorted(sums.items(), key=lambda one: -one[1][1]):
        rows.writerow([kind, value, count, time])


if __name__ == "__main__":
    main()
