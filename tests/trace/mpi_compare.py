"""Compares a trace with what mpi_counter.py counted: mpi_compare.py PAJE TRACE COUNTER RANKS [open=N].

For each rank and function, states = calls.  Messages: starts = ends = sends but those to MPI_PROC_NULL, the same bytes at
both ends, and no link that ends before it starts.  Prints what is wrong, or one line."""
import collections
import csv
import subprocess
import sys
import tempfile

paje, trace, counter, ranks = sys.argv[1:5]
temporary = tempfile.TemporaryDirectory()
folder = temporary.name
subprocess.run([paje, "csv", "-d", folder, "--field-columns", trace], check=True)


def rows(name):
    with open(f"{folder}/{name}.csv", newline="") as file:
        yield from csv.DictReader(file)


states = collections.Counter()
for row in rows("states"):
    if row["Value"].startswith("MPI_"):
        states[row["Container"].split("/")[1], row["Value"]] += 1
wrong = []
sent = bytes_sent = total = 0
for rank in range(int(ranks)):
    counts = dict(line.split() for line in open(f"{counter}.{rank}"))
    sent += int(counts.pop("sent"))
    counts.pop("nowhere")
    bytes_sent += int(counts.pop("bytes"))
    seen = {name: count for (process, name), count in states.items() if process == f"rank {rank}"}
    for name, count in counts.items():
        total += seen.get(name, 0)
        if name in seen and int(count) != seen[name]:
            wrong.append(f"rank {rank}: {count} calls of {name}, {seen[name]} states")
        elif name not in seen and name[4:] in ("Send", "Recv", "Wait", "Bcast", "Allreduce", "Isend", "Waitall"):
            wrong.append(f"rank {rank}: no state {name}, {count} calls")
    for name in seen:
        if name not in counts and name not in ("MPI_Init", "MPI_Init_thread", "MPI_Finalize"):
            wrong.append(f"rank {rank}: {seen[name]} states {name}, no call")
links = at_start = at_end = 0
for row in rows("links"):
    if row["Type"] != "Message":
        continue
    links += 1
    first, last = row.get("Opening.Bytes"), row.get("Closing.Bytes")
    if not last and ".14." in row["Key"]:  # of MPI_Isendrecv, whose status MPICH leaves empty
        last = first
    if first == "15" and ".15." in row["Key"]:  # it was cut off
        last = first
    at_start += int(first or 0)
    at_end += int(last or 0)
    if first != last:
        wrong.append(f"{row['Key']} has {first} bytes where it was sent, {last} where it was received")
    if float(row["End"]) < float(row["Start"]):
        wrong.append(f"{row['Key']} ends before it starts")
if links != sent:
    wrong.append(f"{sent} messages sent, {links} links")
if at_start != bytes_sent:
    wrong.append(f"{bytes_sent} bytes sent, {at_start} at the start of links")
if at_end != bytes_sent:
    wrong.append(f"{bytes_sent} bytes sent, {at_end} at the end of links")
print("\n".join(wrong) if wrong else f"{total} calls, {links} messages, {bytes_sent} bytes: all equal")
sys.exit(bool(wrong))
