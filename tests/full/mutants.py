#!/usr/bin/env python3
"""Mutants: changes one operator, constant or statement at a time of src/pajesim/, src/pajewrite/, or of what the commands
of the tool share (examples/base/, examples/paje/replay/), and runs tests on it.  A mutant that no test notices shows
what they do not look at.

usage: tests/full/mutants.py [-n COUNT] [-s SEED] [-j JOBS] [-a TRIED] [-o TABLE] [FILE...]     FILE: all by default
-n is the count for each of the three.  -a leaves out those that a run before has tried, as many as it has printed lines: so it goes on where that ended.

Prints a line for each mutant, and how many were killed; fails if fewer than 95 of 100 were.  Mutants that do not compile,
or whose object code is that of the original, do not count, nor do those that mutants.equivalent explains.
"""
import argparse
import concurrent.futures
import os
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
READER, WRITER, TOOL = "src/pajesim", "src/pajewrite", "tool"
SHARED = ["examples/base", "examples/paje/replay"]
EQUIVALENT = os.path.join(TOP, "tests/full/mutants.equivalent")
# Generated, or without code that simulates.
LEFT_OUT = {"src/pajesim/" + name for name in ("text/lex.h", "api/api.h", "api/travel.h", "api/config.h", "api/manual.h",
                                               "pajesim.h", "memory/platform.h")}
LEFT_OUT |= {"src/pajewrite/" + name for name in ("api/calls.h", "api/config.h", "api/disabled.h", "api/manual.h",
                                                  "api/platform.h", "pajewrite.h")}
LEAST = 95

SWAPS = [("==", "!="), ("!=", "=="), ("<=", "<"), (">=", ">"), ("&&", "||"), ("||", "&&"), ("++", "--"), ("--", "++"),
         ("+=", "-="), ("-=", "+="), ("|=", "&="), ("<<", ">>"), (">>", "<<"), (" < ", " <= "), (" > ", " >= "),
         (" + ", " - "), (" - ", " + "), (" & ", " | "), (" | ", " & "), (" * ", " + ")]

# What a mutant is tested by, the tests that kill most in the least time first: name, how its source of tests/ is compiled,
# what the program is run on (traces, or files of prose), whether what it prints must be what the original prints.
# Without options: it is linked with the simulator that is in `prose`.
PLAIN, SANITIZED = "-O1 -ftrivial-auto-var-init=pattern", "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
TESTS = [
    ("read/prose", PLAIN, "-l 1009 {prose}", False),
    ("read/callbacks", None, "", False),
    ("read/arena", None, "", False),
    ("read/queries", None, "", False),
    ("read/index", None, "", False),
    ("read/window", None, "", False),
    ("read/number", None, "1", False),
    ("read/prose", "-O1 -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u", "-l 1009 {prose}", False),
    ("read/truncate", None, "-b 3000000 {traces}", False),
    ("read/fast", "-O1", "4 {made} {traces}", True),
    ("read/fast", "-O1", "-m 2 4 {made} {traces}", True),
    ("read/fast", "-O1 -DPAJESIM_SIMD=1", "4 {made} {traces}", True),
    ("read/fast", "-O1 -DPAJESIM_SIMD=0", "4 {made} {traces}", True),
    ("read/callbacks", PLAIN + " -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u", "", False),
    ("read/arena", PLAIN + " -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u", "", False),
    ("read/queries", PLAIN + " -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u", "", False),
    ("builds/instructions", "-O2", "", False),
    ("read/travel", PLAIN, "{traces}", False),
    ("read/cost", PLAIN, "500", True),
    ("read/memory", None, "", False),
    ("read/prefetch", "-O1", "", False),
    ("read/index", SANITIZED, "", False),
    ("read/window", SANITIZED, "", False),
    ("read/prose", SANITIZED, "-l 1009 {prose}", False),
]
# Where another test is likelier to kill than prose.
FIRST = {"src/pajesim/text/number.h": "read/number", "src/pajesim/travel/": "read/travel"}
# The writer's: each program of tests/write that needs no arguments, no hour and no other thread.
WRITER_OTHERS = {"long", "threads", "disturbed", "exchange", "instrumented", "zones", "zones_library", "order", "disable", "scope"}
# The tool's: scripts of tests/tool, the quicker ones first.
SCRIPTS = ["base", "summary", "validate", "files", "filters", "dump", "index", "csv", "equals", "info", "streams", "sql",
           "usage", "names", "partial", "merge", "faults"]
SECONDS = 15  # of a processor, which no test takes


def parts(top, folder):
    """The sources below a folder, as paths in `top`."""
    return sorted(os.path.relpath(os.path.join(where, name), top) for where, _, names in os.walk(os.path.join(top, folder))
                  for name in names if name.endswith(".h") or (name.endswith(".c") and folder in SHARED))


def writer_tests(top):
    names = (name[:-2] for name in sorted(os.listdir(os.path.join(top, "tests/write"))) if name.endswith(".c"))
    flags = "-O1 -pthread -include %s/tests/lib/checked.h" % top
    return [("write/" + name, flags, "", False) for name in names if name not in WRITER_OTHERS
            and "\nint main(" in open("%s/tests/write/%s.c" % (top, name)).read()]


def sites(path):
    """Each place of a file that can be changed: line number from 0, begin, end, replacement."""
    found = []
    text = open(path).read()
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])+\'', lambda m: "\"" + "\0" * (len(m.group()) - 2) + "\"", text)
    going_on = False
    for number, line in enumerate(text.split("\n")):
        if line.startswith("#") or going_on:
            going_on = line.endswith("\\")
            continue
        if line[:1] not in (" ", "") or "__ASSERT(" in line:  # declarations and the like; what is only asserted
            continue
        for old, new in SWAPS:
            at = line.find(old)
            while at >= 0:
                around = line[at - 1:at] + line[at + len(old):at + len(old) + 1]
                if not re.search(r"[-+<>=&|]", around if len(old) == 2 else ""):
                    found.append((number, at, at + len(old), new))
                at = line.find(old, at + len(old))
        for match in re.finditer(r"(?<![\w.])(\d+)(u?)\b(?!\.)", line):
            found.append((number, match.start(), match.end(), str(int(match.group(1)) + 1) + match.group(2)))
        for match in re.finditer(r"!(?=[\w(])(?!=)", line):
            found.append((number, match.start(), match.end(), ""))
        match = re.match(r"\s+((?:(?:paje\w+_|text_|array_|map_|stream_)\w+\(.*\)|[\w>.\[\]()-]+ [-+|&]?= .*|[\w>.-]+(?:\+\+|--)));$", line)
        if match:
            found.append((number, match.start(1), match.end(1), "(void)0"))
    return found


def limit():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, folder):
    """Runs a command until its first FAIL; returns its output, or None if it fails."""
    process = subprocess.Popen(command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, preexec_fn=limit)
    output = []
    for line in process.stdout:
        output.append(line)
        if line.startswith(b"FAIL"):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None
    return None if process.wait() else b"".join(output)


def files(folder, suffix):
    return " ".join(sorted(os.path.join(folder, name) for name in os.listdir(folder)
                           if name.endswith(suffix) and name not in ("README.md", "including.trace")))


class Workshop:
    """A folder in which sources of a header are changed, compiled and tested; `top` is what they are taken from."""

    def __init__(self, folder, top, header, tests):
        self.folder, self.top, self.header, self.tests = folder, top, header, tests
        os.makedirs(os.path.join(folder, "build"))  # where tests write files
        shutil.copy(os.path.join(top, "LICENSE"), folder)
        shutil.copytree(os.path.join(top, "src"), os.path.join(folder, "src"))

    def make(self):
        subprocess.check_call([os.path.join(self.folder, "src/amalgamate.sh"), self.header])

    def object(self, test):
        return os.path.join(self.folder, "%s-%d.o" % (os.path.basename(test[0]), [other[1] for other in self.tests].index(test[1])))

    def code(self, test):
        """The path of a compiled test, or of an object that it is linked with; None if it does not compile."""
        if not test[1]:
            test = TESTS[0]
        command = "gcc -w -std=c99 -I%s -I%s %s -c %s/tests/%s.c -o %s" % (self.folder, self.top, test[1], self.top, test[0],
                                                                           self.object(test))
        if subprocess.call(command, shell=True, stderr=subprocess.DEVNULL):
            return None
        with open(self.object(test), "rb") as code:
            return code.read()

    def result(self, test):
        """What a compiled test prints, or how many instructions it counts; None if it fails."""
        program = self.object(test)[:-2]
        if test[1]:
            command = "gcc %s %s -o %s -lm" % (test[1], self.object(test), program)
        else:
            command = "objcopy --redefine-sym main=prose_main %s library.o && gcc %s/%s.o library.o -o %s -lm" % (
                self.object(TESTS[0]), self.top, os.path.basename(test[0]), program)
        subprocess.check_call(command, shell=True, cwd=self.folder)
        if test[0] == "builds/instructions":
            return self.instructions(program)
        arguments = test[2].format(prose=files(self.top + "/tests/read/prose", ".md"), made=files(self.top + "/made", ".trace"),
                                   traces=files(self.top + "/tests/traces", ".trace"))
        return run(program + " " + arguments, self.folder)

    def instructions(self, program):
        counts = []
        for trace, mode in ("words", "strict"), ("odd", "callbacks"), ("integers", "lenient"):
            if run("valgrind --tool=callgrind --toggle-collect=measured_replay --callgrind-out-file=out %s %s "
                   "%s/made/%s.trace" % (program, mode, self.top, trace), self.folder) is None:
                return None
            with open(os.path.join(self.folder, "out")) as out:
                counts += [int(line.split()[1]) for line in out if line.startswith("totals:")]
        return counts

    def change(self, name, site):
        """Changes a source; returns the line before and after."""
        path = os.path.join(self.folder, name)
        lines = open(path).read().split("\n")
        number, begin, end, new = site
        old = lines[number]
        lines[number] = old[:begin] + new + old[end:]
        with open(path, "w") as source:
            source.write("\n".join(lines))
        self.make()
        shutil.copy(os.path.join(self.top, name), path)
        return old.strip(), lines[number].strip()

    def judge(self, first, codes, results):
        """What becomes of the mutant, by what the original is compiled to and prints."""
        mine, alike = {}, True
        for test in sorted(self.tests, key=lambda test: test[0] != first):
            how = test[:2] if test[1] else TESTS[0][:2]
            if how not in mine:
                mine[how] = self.code(test)
            if mine[how] is None:
                return "invalid"
            if mine[how] == codes[how] or alike and test[1] == SANITIZED:  # this test sees nothing of it
                continue
            alike = False
            result = self.result(test)
            if test[0] == "builds/instructions" and result:
                bad = any(not 0.97 < count / recorded < 1.03 for count, recorded in zip(result, results[test]))
            else:
                bad = result is None or test[3] and result != results[test]
            if bad:
                return "killed by " + test[0]
        return "the same" if alike else "SURVIVED"


class Toolshop(Workshop):
    """The same for the tool: a copy of the whole tree with what was compiled, in which scripts are run."""

    def __init__(self, folder, top, *_):
        self.folder, self.top, self.good = folder, top, None
        shutil.copytree(top, folder, symlinks=True)

    def make(self):
        self.made = subprocess.call(["make", "-s", "paje"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL) == 0

    def program(self):
        """The code of the tool, without what differs from one folder to another."""
        return subprocess.check_output("strip -o stripped build/paje && cat stripped", shell=True, cwd=self.folder)

    def passes(self, script):
        return run("bash tests/tool/%s.sh" % script, self.folder) is not None

    def judge(self, first, code, scripts):
        if not self.made:
            return "invalid"
        if self.program() == code:
            return "the same"
        return next(("killed by tool/" + script for script in scripts if not self.passes(script)), "SURVIVED")


def known():
    """Survivors that were looked at: (file, line or *, mutated line or *)."""
    with open(EQUIVALENT) as table:
        return {tuple(line.split("\t")[:3]) for line in table if line.count("\t") == 3}


def snapshot(folder):
    """Copies the sources, as they may be edited meanwhile."""
    os.makedirs(os.path.join(folder, "made"))
    for name in "src", "tests":
        shutil.copytree(os.path.join(TOP, name), os.path.join(folder, name))
    for name in "LICENSE", "bench/generate.c":
        shutil.copy(os.path.join(TOP, name), folder)
    for header in "pajesim", "pajewrite":
        subprocess.check_call([folder + "/src/amalgamate.sh", header])
    for name in {test[0] for test in TESTS if not test[1]}:
        subprocess.check_call("sed '/define PAJESIM_IMPLEMENTATION/d' tests/%s.c | gcc -w -std=c99 -O1 -I. -Itests/read -x c -c - "
                              "-o %s.o" % (name, os.path.basename(name)), shell=True, cwd=folder)
    subprocess.check_call("gcc -O2 -I. generate.c -o generate", shell=True, cwd=folder)
    for name, options in (("words", "-b 200000 -c 100"), ("odd", "-b 200000 -c 50 -a long -q -t -n 20 -u 2 -e 3"),
                          ("integers", "-b 200000 -c 50 -r -a integers"), ("many", "-b 400000 -c 10000")):
        subprocess.check_call("./generate %s >made/%s.trace" % (options, name), shell=True, cwd=folder)


def without_comments(line):
    return re.sub(r"\s*/\*.*?\*/", "", line).strip()


class Judge:
    """Tries the mutants of a header or of the tool, in workshops of its own, which are made when the first is needed."""

    def __init__(self, of, folder, options):
        self.of, self.folder = of, os.path.join(folder, os.path.basename(of))
        self.top = os.path.join(self.folder, "top")
        self.workshops = queue.Queue()
        os.mkdir(self.folder)
        if of == TOOL:
            shutil.copytree(TOP, self.top, symlinks=True, ignore=shutil.ignore_patterns(".git", "fuzz", "test-output"))
            self.tests, kind = [], Toolshop
        else:
            snapshot(self.top)
            self.tests, kind = TESTS if of == READER else writer_tests(self.top), Workshop
        for number in range(options.j):
            self.workshops.put(kind(os.path.join(self.folder, str(number)), self.top, os.path.basename(of), self.tests))
        first = kind(os.path.join(self.folder, "original"), self.top, os.path.basename(of), self.tests)
        first.make()
        if of == TOOL:
            self.codes = first.program()
            self.results = [script for script in SCRIPTS if first.passes(script)]
            if not self.results:
                sys.exit("FAIL mutants: no script of the tool passes without any")
            return
        self.codes = {test[:2]: first.code(test) for test in self.tests if test[1]}
        self.results = {test: first.result(test) for test in self.tests}
        for test, result in self.results.items():
            if result is None:
                sys.exit("FAIL mutants: %s fails without any" % test[0])

    def judge(self, name, site, equivalent):
        workshop = self.workshops.get()
        try:
            old, new = workshop.change(name, site)
            old_code, new_code = without_comments(old), without_comments(new)
            explained = {(name, old_code, new_code), (name, old_code, "*")} & equivalent
            first = next((FIRST[part] for part in FIRST if name.startswith(part)), None)
            verdict = "explained" if explained else workshop.judge(first, self.codes, self.results)
        finally:
            self.workshops.put(workshop)
        return verdict, "%s\t%s:%d\t%s\t->\t%s" % (verdict, name, site[0] + 1, old, new)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=300)
    parser.add_argument("-s", type=int, default=2026)
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("-a", type=int, default=0)
    parser.add_argument("-o")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    table = open(options.o, "w") if options.o else sys.stdout
    equivalent = known()
    failed = False
    for of, folders in (READER, [READER]), (WRITER, [WRITER]), (TOOL, SHARED):
        names = [name for folder in folders for name in parts(TOP, folder)]
        names = [name for name in names if name not in LEFT_OUT and (not options.files or name in options.files)]
        if not names:
            continue
        counts = dict.fromkeys(("killed", "explained", "SURVIVED", "invalid", "the same"), 0)
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            one = Judge(of, folder, options)
            chosen = [(name, site) for name in names for site in sites(os.path.join(one.top, name))]
            random.Random(options.s).shuffle(chosen)
            del chosen[:options.a]
            running = []  # in order, some of them waiting for a workshop
            while (chosen or running) and counts["killed"] + counts["SURVIVED"] < options.n:
                while chosen and len(running) < 2 * options.j:
                    running.append(pool.submit(one.judge, *chosen.pop(0), equivalent))
                verdict, line = running.pop(0).result()
                counts["killed" if verdict.startswith("killed") else verdict] += 1
                print(line, file=table, flush=True)
            for future in running:
                future.cancel()
        counted = counts["killed"] + counts["SURVIVED"]
        share = 100.0 * counts["killed"] / counted if counted else 0
        print("%s mutants of %s: %d of %d killed, %.1f of 100; not counted: %d explained in mutants.equivalent, %d with the "
              "same code, %d that do not compile" % (
                  "PASS" if share >= LEAST else "FAIL", of, counts["killed"], counted, share, counts["explained"],
                  counts["the same"], counts["invalid"]), flush=True)
        failed |= share < LEAST
    return failed


sys.exit(main())
