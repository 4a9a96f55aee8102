#!/usr/bin/env python3
"""Attacks the tool as an outsider would: hostile and odd traces through the trial lines of every command, options at their
edges, files and standard streams that are none, limits, and results of several commands compared with each other.
usage: tests/full/attack.py [PAJE]     PAJE: best one with sanitizers; by default build/paje

To build it with sanitizers: make BUILD=build/asan CC=gcc CFLAGS='-O1 -g -fsanitize=address,undefined' build/asan/paje
A round takes some minutes without, half an hour with them.  Prints what ends by a signal, is silent, slow or found by
a sanitizer, and where results differ; nothing else is a pass."""
import collections
import csv
import gzip
import lzma
import os
import random
import re
import resource
import shutil
import subprocess
import sys

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
paje = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(top, "build", "paje"))
with open(os.path.join(top, "tests", "tool", "header.trace"), "rb") as opened:
    HEAD = opened.read()
folder = os.path.join(top, "build", "attack")
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
csv.field_size_limit(1 << 30)
environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:exitcode=99", UBSAN_OPTIONS="halt_on_error=1:exitcode=98")
LONG = 60  # seconds
found = runs = 0

BASE = """0 H 0 Host\n0 P H Process\n1 S P State\n2 E P Event\n3 V P Var "1 0 0"\n4 L 0 P P Link\n4 LH H P P Inner
5 v1 S run "1 0 0"\n5 v2 S wait "0 1 0"\n5 ev E bang "0 1 0"\n5 lv L msg "0 1 0"\n6 0 h1 H 0 host1 0\n6 0 p1 P h1 proc1 0
6 0 p2 P h1 proc2 1\n"""
SOME = """11 1 S p1 v1 m 3\n11 2 S p1 v2 m 3\n20 1 V p1 3.5\n30 1.5 E p1 ev pay 3\n40 2 L 0 p1 lv k1 100\n12 3 S p1 r
41 4 L 0 p2 lv k1 t\n21 4 V p1 2 w\n12 5 S p1 r\n7 6 P p1\n"""
ALL = "11 {0} S p1 v1 m 3\n20 {0} V p1 {1}\n30 {0} E p1 ev p 1\n40 {0} L 0 p1 lv k{1} 1\n41 {0} L 0 p2 lv k{1} t\n12 {0} S p1 r\n"
NUMBERS = ["0", "-1", "1e999", "nan", "", "-0", "inf", "1e308", "99999999999999999999", "0x10", "1,5", ".5", "-1e308",
           "4e-324", "1 ", "a", "2147483648", "4294967296", "1e-400", "1e+", ".", "9" * 400, "0." + "0" * 400 + "1"]


def repeated(form, count):
    return "".join(form.replace("@-", str(i - 1)).replace("@", str(i)) for i in range(1, count + 1))


def shapes():
    """Pairs of a name and a trace."""
    text = (BASE + SOME).encode()
    whole = HEAD + text
    yield "plain", whole
    yield "empty", b""
    yield "nul", b"\0" * 5000
    yield "no newline", whole[:-1]
    yield "crlf", whole.replace(b"\n", b"\r\n")
    yield "cr", whole.replace(b"\n", b"\r")
    yield "utf16", b"\xff\xfe" + whole.decode().encode("utf-16-le")
    yield "two marks", b"\xef\xbb\xbf" * 2 + whole
    for number in NUMBERS:
        yield "time " + number[:9], whole + ALL.format(number, 1).encode()
        yield "value " + number[:9], whole + ("20 7 V p2 %s\n21 8 V p2 %s w\n" % (number, number)).encode()
    names = b""
    for byte in range(256):
        if byte not in b'\n"':
            names += (b'6 0 c%d P h1 "n@" 0\n5 w%d S "@" "1 0 0"\n11 1 S c%d "@" "@" 3\n30 2 E c%d "@" "" 3\n'
                      % ((byte,) * 4)).replace(b"@", bytes([byte]))
    yield "bytes", HEAD + BASE.encode() + names
    yield "no names", HEAD + b'0 "" 0 ""\n0 H 0 ""\n1 "" H ""\n1 S H ""\n5 "" S "" ""\n6 0 "" H 0 "" ""\n11 1 S "" "" "" ""\n'
    yield "markup", HEAD + b'0 H 0 "</script><b>"\n1 S H "]]>&amp;<!--"\n6 0 a H 0 "\';--" 0\n11 1 S a "../..\\" 0 0\n'
    ends = BASE + "7 2 P p1\n41 3 L 0 p2 lv k t\n40 4 L 0 p1 lv k2 1\n7 5.5 P p2\n40 6 LH h1 p2 lv k3 1\n7 7 H h1\n6 9 p1 P h1 x 1\n"
    for name, lines in [
            ("zero", "".join(ALL.format(0, i) for i in range(200))),
            ("backwards", "".join(ALL.format(1000 - i, i) for i in range(200))),
            ("types", repeated("1 S@ H state@\n11 1 S@ h1 x y 1\n", 2000)),
            ("alike", repeated("6 0 a@ P h1 a 0\n11 1 S a@ x y 1\n", 2000)),
            ("values", repeated('5 w@ S value@ "0 0 0"\n11 @ S p1 w@ y 1\n30 @ E p1 other@ y 1\n', 3000)),
            ("stack", repeated("11 @ S p1 v1 m 3\n", 5000)), ("pops", repeated("12 @ S p1 r\n", 500)),
            ("one key", repeated("40 @ L 0 p1 lv k 1\n", 2000) + repeated("41 3000 L 0 p2 lv k t\n", 2000)),
            ("starts", repeated("40 @ L 0 p1 lv k@ 1\n", 3000)), ("churn", repeated("6 @ c P h1 c 0\n7 @.5 P c\n", 5000)),
            ("deep", "0 T 0 T\n6 0 c0 T 0 c 0\n" + repeated("6 0 c@ T c@- n 0\n11 1 S c@ x y 1\n", 2000)),
            ("deep types", "0 T0 0 T\n6 0 c0 T0 0 c 0\n" + repeated("0 T@ T@- t\n6 0 c@ T@ c@- n 0\n", 300)),
            ("long line", '30 1 E p1 "' + "x" * 3000000 + '" y 1\n'), ("words", "30 1 E p1 " + "x " * 100000 + "\n"),
            ("long names", repeated("11 @ S p1 " + "n" * 5000 + "@ y 1\n", 100)), ("twice", BASE + BASE),
            ("include", "50 p1 P include\n50 p1 P /etc/passwd\n50 p1 P .\n50 p1 P nosuch\n"), ("ends", ends)]:
        yield name, HEAD + (BASE + lines + SOME).encode()
    yield "fields", HEAD + b"%EventDef PajePushState 99\n" + b"% F string\n" * 100 + b"%EndEventDef\n" + text
    yield "repeated field", HEAD + b"%EventDef PajeNewEvent 99\n" + b"% Time date\n" * 2 + b"%EndEventDef\n" + text
    for name, pack in ("gzip", gzip.compress), ("xz", lzma.compress):
        yield name, pack(whole)
        yield name + " cut", pack(whole * 50)[:300]
    for size in range(0, len(whole), 97):
        yield "cut %d" % size, whole[:size]
    random.seed(7)
    for i in range(150):
        broken = bytearray(whole)
        for _ in range(random.randint(1, 8)):
            at, piece = random.randrange(len(broken)), random.randrange(len(broken))
            broken[at:at + random.choice((0, 1, 20))] = random.choice(
                (b"", b"nan", b"1e308", b'"', b"#", b"%", b"\n", b"-", b"\0", broken[piece:piece + 50]))
        yield "broken %d" % i, bytes(broken)


def tell(*what):
    global found
    found += 1
    print(*what, flush=True)


def run(words, name, status=(0, 1, 2, 3), **how):
    """Returns standard output if the command ends well."""
    global runs
    runs += 1
    how = dict({"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "env": environment}, **how)
    try:
        got = subprocess.run([paje] + words, stderr=subprocess.PIPE, timeout=LONG, **how)
    except subprocess.TimeoutExpired:
        return tell("SLOW", name, words)
    if got.returncode not in status or b"Sanitizer" in got.stderr or b"runtime error" in got.stderr:
        tell("ENDS BADLY", name, words, got.returncode, re.findall(rb"SUMMARY:.*|runtime error.*", got.stderr)[:1])
    elif got.returncode in (2, 3) and not got.stderr:
        tell("SILENT", name, words)
    return got.stdout if got.returncode < 2 else None


def write(content):
    for name in os.listdir("."):
        (shutil.rmtree if os.path.isdir(name) and not os.path.islink(name) else os.remove)(name)
    with open("a.trace", "wb") as file:
        file.write(content)


def compare(name):
    """Counts of entities, of dump, csv and profile; and the same trace merged, in parts, and with an index."""
    tables = {"State": "states", "Variable": "variables", "Event": "events", "Link": "links"}
    dumped = run(["dump", "a.trace"], name)
    profile = run(["profile", "--own", "--format", "csv", "a.trace"], name)
    if dumped is None or profile is None or run(["csv", "-d", "tables", "a.trace"], name) is None:
        return
    kinds = collections.Counter(re.findall(rb"^([A-Z][a-z]+), ", dumped, re.M))
    counted = collections.Counter()
    for row in list(csv.reader(profile.decode("latin1").split("\n")))[1:]:
        if len(row) > 6:
            counted[row[2]] += int(float(row[6]))
    for kind, table in tables.items():
        with open("tables/%s.csv" % table, newline="", encoding="latin1") as file:
            rows = sum(1 for _ in csv.reader(file)) - 1
        if len({kinds[kind.encode()], rows, counted[kind]}) > 1:
            tell("DIFFERENT", name, kind, kinds[kind.encode()], rows, counted[kind])
    # Those that are too small for several processes are shared with an index.
    lookups = ["dump", "-s", "2", "-e", "50", "a.trace"], ["at", "a.trace", "3"], ["dump", "-j", "3", "a.trace"]
    without = [run(words, name) for words in lookups]
    if without[2] != dumped:
        tell("DIFFERENT", name, "dump -j 3")
    run(["index", "--events=7", "a.trace"], name)
    if [run(words, name) for words in lookups] != without:
        tell("DIFFERENT", name, "with an index")


def options(command, words):
    described = run([command, "--help"], "help").decode()
    for option, value in set(re.findall(r"^  (?:-\w, |    ) ?(--[a-z-]+)(=\w+)?", described, re.M)):
        values = {"": [option], "=FILE": ["/", "/dev/full", ".", "no/x", "a.trace"], "=GLOB": ["", "[", "[z-a]", "\\", "*" * 200]}
        for edge in values.get(value, NUMBERS + ["1x1", "0x0", "99999x99999", "x" * 300]):
            if option not in ("--follow", "--help"):
                write(HEAD + (BASE + SOME).encode())
                run([command] + ([option] if not value else ["%s=%s" % (option, edge)]) + words, "option")
                with open("a.trace", "rb") as file:
                    if file.read() != HEAD + (BASE + SOME).encode():
                        tell("OVERWRITTEN", command, option, edge)


def surroundings(command, words):
    for name, content in ("empty", b""), ("plain", HEAD + (BASE + SOME).encode()):
        write(content)
        os.symlink("loop", "loop")
        for other in ".", "loop", "nosuch", "/dev/null", "", "/dev/fd/0", "a.trace":
            run([command] + [other if word == "a.trace" else word for word in words], name + " " + other)
        for closed in (0,), (1,), (0, 1):
            run([command] + words, "closed", preexec_fn=lambda: [os.close(file) for file in closed])
        for kind, limit in ("NOFILE", 4), ("NOFILE", 6), ("FSIZE", 0), ("FSIZE", 100), ("AS", 30000000):
            if kind != "AS" or "asan" not in paje:
                number = getattr(resource, "RLIMIT_" + kind)
                run([command] + words, kind, (0, 1, 2, 3, -25, 127), preexec_fn=lambda: resource.setrlimit(number, (limit, limit)))
        with open("/dev/full", "w") as full:
            run([command] + words, "full", stdout=full)
        for more in {"LC_ALL": "de_DE.UTF-8"}, {"TZ": ":/x"}, {"TMPDIR": "/nosuch"}, {"COLUMNS": "-5"}, {"TERM": ""}, {"PATH": ""}:
            run([command] + words, more, env=dict(environment, **more))


trials = [line.split() for line in run(["--commands"], "").decode().splitlines()]
trials = [line for line in trials if line[0] != "trace"]
for shape, trace in shapes():
    write(trace)
    for trial in trials:
        run([{"FILE": "a.trace", "OUT": "out"}.get(word, word) for word in trial], shape)
    write(trace)
    compare(shape)
for one in sorted({line[0] for line in trials}):
    given = {"csv": ["-d", "out", "a.trace"], "view": ["--once", "a.trace"], "merge": ["-o", "out", "a.trace"],
             "at": ["a.trace", "2"], "equals": ["a.trace", "a.trace"]}.get(one, ["a.trace"])
    options(one, given)
    surroundings(one, given)
print("%d runs, %d findings" % (runs, found))
sys.exit(found > 0)
