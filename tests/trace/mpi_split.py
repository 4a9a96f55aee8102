"""TRACE FOLDER: a file for each process of a trace of `paje trace`, as if each were of a host of its own: clocks are 50 ms
ahead or behind by turns, and drift by 50 ppm."""
import re
import sys

trace, folder = sys.argv[1:]
fields, names, of, files, common = {}, {}, {}, {}, []


def place(number, words):
    """The process that a line belongs to."""
    at = dict(zip(fields[number], words))
    if names[number] == "PajeCreateContainer":
        of[at["Alias"]] = at["Alias"] if at["Container"] == "0" else of[at["Container"]]
        return of[at["Alias"]]
    if names[number] == "PajeDestroyContainer":
        return of[at["Name"]]
    return of[at.get("StartContainer") or at.get("EndContainer") or at["Container"]]


for line in open(trace):
    words = re.findall(r'"[^"]*"|\S+', line)
    if line.startswith("%"):
        common.append(line)
        if words[0] == "%EventDef":
            current = words[2]
            names[current], fields[current] = words[1], []
        elif words[0] == "%":
            fields[current].append(words[1])
    elif not words or line.startswith("#"):
        continue
    elif names[words[0]].startswith("PajeDefine"):
        common.append(line)
    else:
        files.setdefault(place(words[0], words[1:]), []).append(words)
for i, lines in enumerate(files.values()):
    with open("%s/host%d.trace" % (folder, i), "w") as file:
        file.write("".join(common))
        for words in lines:
            at = 1 + fields[words[0]].index("Time")
            words[at] = "%.9f" % (1 + float(words[at]) * (1 + 50e-6 * (i % 3 - 1)) + 0.05 * (-1) ** i)
            file.write(" ".join(words) + "\n")
