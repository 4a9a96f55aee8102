#!/usr/bin/env python3
"""Runs the commands with several options at once, whose values are as they come: numbers at their edges, globs, names;
on the random traces of model.py as they are, far from 0, all at one instant, out of order, cut off; with and without an
index.
usage: tests/full/combine.py [-s SEED] [-n TRACES] [PAJE]     PAJE: best one with sanitizers, as for attack.py

Each trace is for 12 runs that are not refused; 100 take some 20 seconds.  Prints what ends by a signal, is silent, slow
or found by a sanitizer."""
import os
import random
import re
import shutil
import subprocess

import model

COMMANDS = """dump validate info null parse merge profile matrix histogram slices efficiency waits critical svg platform
html view sql csv chrome perfetto paraver index at diff equals""".split()
NUMBERS = """0 1 2 3 7 10 64 100 1000 10000 65536 -1 nan inf -inf 1e308 -1e308 1e-300 4.9e-324 0.125 0.5 1e9
9223372036854775807 18446744073709551615 9223372036854775808 4294967296 4294967295 1e-9 1000000 50 20""".split()
TEXTS = """* p* h0 State Var L A msg Size Value pay ev [ [a [!a] ? \\* / /h0 /h0/p1 p[0-9] - x trace own numbers table
csv svg s ms us ns count bytes time mean value container type 0/1 1/1 2/3 64K 1M 100x20 20x5""".split() + [""]
SPECIAL = {"--output": ["o.svg", "o", "o.pdf", "none/o"], "--arena": ["64K", "1K", "16M", "0", "1"],
           "--directory": ["dd"], "--memory": ["64K", "1K", "16M", "0", "1"], "--jobs": ["1", "2", "3", "5"],
           "--size": ["Var", "1x1", "20x5", "0x0"],
           "--width": ["1", "10", "400", "5000", "0", "nan"], "--height": ["1", "10", "400", "5000", "-1"]}
TIMES = ["1", "5", "10", "-40", "-45", "1000003", "20.125", "1e301"]
NEEDED = {"view": ["--once"], "csv": ["--directory=dd"], "paraver": ["--output=pp"], "merge": ["--output=mm"]}
TIMED = re.compile(r"^(\d+) (-?\d+\.\d{3}) ", re.M)
environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:exitcode=99", UBSAN_OPTIONS="halt_on_error=1:exitcode=98")


def run(words):
    return subprocess.run([model.paje, *words], capture_output=True, stdin=subprocess.DEVNULL, env=environment,
                          timeout=60)


def options_of(command):
    """Pairs of a name and whether it has a value."""
    found = re.findall(r"^ +(?:-\w, )?(--[a-z-]+)(=\S+)?", run([command, "--help"]).stdout.decode(), re.M)
    return [(name, value) for name, value in found if name not in ("--help", "--follow", "--stats", "--files")]


def make_trace(draw):
    model.Trace(draw.randrange(10 ** 9))
    with open("t.trace") as opened:
        text = opened.read()
    scale, origin = draw.choice([1e300, 1e-300, 1e-310, 1e15]), draw.choice([1e15, -1e15, 1.7e9, 1.7e18, 0])
    shape = draw.random()
    if shape < 0.15:
        text = TIMED.sub(lambda m: "%s %r " % (m[1], float(m[2]) * scale), text)
    elif shape < 0.3:
        text = TIMED.sub(lambda m: "%s %r " % (m[1], float(m[2]) + origin), text)
    elif shape < 0.4:
        text = TIMED.sub(r"\1 5 ", text)
    elif shape < 0.5:
        lines = text.split("\n")
        timed = [i for i, line in enumerate(lines) if re.match(r"(1[0-3]|2[01]|30|4[01]) ", line)]
        for i, line in zip(timed, draw.sample([lines[i] for i in timed], len(timed))):
            lines[i] = line
        text = "\n".join(lines)
    elif shape < 0.6:
        text = text[:draw.randrange(len(text))]
    with open("t.trace", "w") as out:
        out.write(text)


def words_of(draw, command, options):
    words = [command]
    for name, has_value in draw.sample(options, min(len(options), draw.choice([1, 2, 2, 3, 3, 4, 5, 6]))):
        values = SPECIAL.get(name) or (NUMBERS if draw.random() < 0.55 else TEXTS)
        if name in ("--start", "--end") and draw.random() < 0.7:
            values = TIMES
        words.append(name + "=" + draw.choice(values) if has_value else name)
    words += NEEDED.get(command, []) + ["t.trace"]
    if command in ("diff", "equals", "merge"):
        return words + ["t.trace"]
    return words + ([draw.choice(NUMBERS)] if command == "at" else [])


def attack(seed, options):
    draw = random.Random(seed)
    for name in os.listdir("."):
        (shutil.rmtree if os.path.isdir(name) else os.remove)(name)
    make_trace(draw)
    if draw.random() < 0.5:
        run(["index", "-z", "--events=%d" % draw.choice([3, 10, 40]), "t.trace"])
    left = 12  # runs that are not refused for one of their options, as more than half are
    for _ in range(60):
        if not left:
            break
        command = draw.choice(COMMANDS)
        words = words_of(draw, command, options[command])
        try:
            got = run(words)
        except subprocess.TimeoutExpired:
            model.tell(seed, "slow:", words)
            continue
        left -= got.returncode != 2
        if got.returncode not in (0, 1, 2, 3) or b"Sanitizer" in got.stderr or b"runtime error" in got.stderr:
            model.tell(seed, words, "status", got.returncode, got.stderr[-300:])
        elif got.returncode > 1 and not got.stderr:
            model.tell(seed, "silent:", words)


seeds = model.begin("combine", 100)
choices = {command: options_of(command) for command in COMMANDS}
for number in seeds:
    attack(number, choices)
if not model.failed:
    print("PASS combine: %d traces" % len(seeds))
raise SystemExit(model.failed > 0)
