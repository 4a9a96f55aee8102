#!/usr/bin/env python3
"""Mutants of the simulator: changes one operator, constant or statement of src/ at a time, and runs tests on it.  A mutant
that no test notices shows what they do not look at.

usage: tests/full/mutants.py [-n COUNT] [-s SEED] [-j JOBS] [-a TRIED] [-o TABLE] [FILE...]     FILE: of src/; all by default
-a leaves out those that a run before has tried, as many as it has printed lines: so it goes on where that ended.

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
EQUIVALENT = os.path.join(TOP, "tests/full/mutants.equivalent")
# Generated, or without code that simulates.
LEFT_OUT = {"lex.h", "api.h", "api_travel.h", "config.h", "manual.h", "pajesim_src.h", "platform.h"}
LEAST = 95

SWAPS = [("==", "!="), ("!=", "=="), ("<=", "<"), (">=", ">"), ("&&", "||"), ("||", "&&"), ("++", "--"), ("--", "++"),
         ("+=", "-="), ("-=", "+="), ("|=", "&="), ("<<", ">>"), (">>", "<<"), (" < ", " <= "), (" > ", " >= "),
         (" + ", " - "), (" - ", " + "), (" & ", " | "), (" | ", " & "), (" * ", " + ")]

# What a mutant is tested by, the tests that kill most in the least time first: name, how its source of tests/ is compiled,
# what the program is run on (traces, or files of prose), whether what it prints must be what the original prints.
# Without options: it is linked with the simulator that is in `prose`.
PLAIN, SANITIZED = "-O1 -ftrivial-auto-var-init=pattern", "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
TESTS = [
    ("prose", PLAIN, "-l 1009 {prose}", False),
    ("callbacks", None, "", False),
    ("index", None, "", False),
    ("number", None, "1", False),
    ("prose", "-O1 -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u", "-l 1009 {prose}", False),
    ("truncate", None, "-b 3000000 {traces}", False),
    ("fast", "-O1", "4 {made} {traces}", True),
    ("fast", "-O1", "-m 2 4 {made} {traces}", True),
    ("fast", "-O1 -DPAJESIM_SIMD=1", "4 {made} {traces}", True),
    ("fast", "-O1 -DPAJESIM_SIMD=0", "4 {made} {traces}", True),
    ("callbacks", PLAIN + " -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u", "", False),
    ("instructions", "-O2", "", False),
    ("travel", PLAIN, "{traces}", False),
    ("cost", PLAIN, "500", True),
    ("memory", None, "", False),
    ("index", SANITIZED, "", False),
    ("prose", SANITIZED, "-l 1009 {prose}", False),
]
# Where another test is likelier to kill than prose.
FIRST = {"number.h": "number", "window.h": "travel", "held.h": "travel", "walk.h": "travel", "own_fields.h": "travel",
         "index_look.h": "travel", "index_store.h": "travel", "index_take.h": "travel"}
SECONDS = 15  # of a processor, which no test takes


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
        if line[:1] not in (" ", ""):  # declarations and the like
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
        match = re.match(r"\s+((?:pajesim__\w+\(.*\)|[\w>.\[\]()-]+ [-+|&]?= .*|[\w>.-]+(?:\+\+|--)));$", line)
        if match:
            found.append((number, match.start(1), match.end(1), "(void)0"))
    return found


def limit():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, folder):
    """Runs a command until its first FAIL; answers its output, or None if it fails."""
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
    """A folder in which sources are changed, compiled and tested; `top` is what they are taken from."""

    def __init__(self, folder, top):
        self.folder, self.top = folder, top
        os.mkdir(folder)
        shutil.copy(os.path.join(top, "LICENSE"), folder)
        shutil.copytree(os.path.join(top, "src"), os.path.join(folder, "src"))

    def object(self, test):
        return os.path.join(self.folder, "%s-%d.o" % (test[0], [other[1] for other in TESTS].index(test[1])))

    def code(self, test):
        """Of a test, or of what it is linked with, compiled; None if it does not compile."""
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
                self.object(TESTS[0]), self.top, test[0], program)
        subprocess.check_call(command, shell=True, cwd=self.folder)
        if test[0] == "instructions":
            return self.instructions(program)
        arguments = test[2].format(prose=files(self.top + "/tests/prose", ".md"), made=files(self.top + "/made", ".trace"),
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
        """Changes a source; answers the line before and after."""
        path = os.path.join(self.folder, "src", name)
        lines = open(path).read().split("\n")
        number, begin, end, new = site
        old = lines[number]
        lines[number] = old[:begin] + new + old[end:]
        with open(path, "w") as source:
            source.write("\n".join(lines))
        subprocess.check_call([os.path.join(self.folder, "src/amalgamate.sh")])
        shutil.copy(os.path.join(self.top, "src", name), path)
        return old.strip(), lines[number].strip()

    def judge(self, first, codes, results):
        """What becomes of the mutant, by what the original is compiled to and prints."""
        mine, alike = {}, True
        for test in sorted(TESTS, key=lambda test: test[0] != first):
            how = test[:2] if test[1] else TESTS[0][:2]
            if how not in mine:
                mine[how] = self.code(test)
            if mine[how] is None:
                return "invalid"
            if mine[how] == codes[how] or alike and test[1] == SANITIZED:  # this test sees nothing of it
                continue
            alike = False
            result = self.result(test)
            if test[0] == "instructions" and result:
                bad = any(not 0.97 < count / recorded < 1.03 for count, recorded in zip(result, results[test]))
            else:
                bad = result is None or test[3] and result != results[test]
            if bad:
                return "killed by " + test[0]
        return "the same" if alike else "SURVIVED"


def known():
    """Survivors that were looked at: (file, line or *, mutated line or *)."""
    with open(EQUIVALENT) as table:
        return {tuple(line.split("\t")[:3]) for line in table if line.count("\t") == 3}


def snapshot(folder):
    """Of what is needed, as others may work on it meanwhile."""
    os.makedirs(os.path.join(folder, "made"))
    for name in "src", "tests":
        shutil.copytree(os.path.join(TOP, name), os.path.join(folder, name))
    for name in "LICENSE", "pajewrite.h", "bench/generate.c":
        shutil.copy(os.path.join(TOP, name), folder)
    subprocess.check_call([folder + "/src/amalgamate.sh"])
    for name in {test[0] for test in TESTS if not test[1]}:
        subprocess.check_call("sed '/define PAJESIM_IMPLEMENTATION/d' tests/%s.c | gcc -w -std=c99 -O1 -I. -Itests -x c -c - "
                              "-o %s.o" % (name, name), shell=True, cwd=folder)
    subprocess.check_call("gcc -O2 -I. generate.c -o generate", shell=True, cwd=folder)
    for name, options in (("words", "-b 200000 -c 100"), ("odd", "-b 200000 -c 50 -a long -q -t -n 20 -u 2 -e 3"),
                          ("integers", "-b 200000 -c 50 -r -a integers"), ("many", "-b 400000 -c 10000")):
        subprocess.check_call("./generate %s >made/%s.trace" % (options, name), shell=True, cwd=folder)


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
    counts = dict.fromkeys(("killed", "explained", "SURVIVED", "invalid", "the same"), 0)
    workshops = queue.Queue()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        top = os.path.join(folder, "top")
        snapshot(top)
        names = options.files or sorted(name for name in os.listdir(top + "/src") if name.endswith(".h"))
        chosen = [(name, site) for name in names if name not in LEFT_OUT for site in sites(os.path.join(top, "src", name))]
        random.Random(options.s).shuffle(chosen)
        del chosen[:options.a]
        for number in range(options.j):
            workshops.put(Workshop(os.path.join(folder, str(number)), top))
        first = Workshop(os.path.join(folder, "original"), top)
        subprocess.check_call([first.folder + "/src/amalgamate.sh"])
        codes = {test[:2]: first.code(test) for test in TESTS if test[1]}
        results = {test: first.result(test) for test in TESTS}
        for test, result in results.items():
            if result is None:
                sys.exit("FAIL mutants: %s fails without any" % test[0])

        def judge(name, site):
            workshop = workshops.get()
            try:
                old, new = workshop.change(name, site)
                explained = {(name, old, new), (name, old, "*"), (name, "*", "*")} & equivalent
                verdict = "explained" if explained else workshop.judge(FIRST.get(name), codes, results)
            finally:
                workshops.put(workshop)
            return verdict, "%s\t%s:%d\t%s\t->\t%s" % (verdict, name, site[0] + 1, old, new)

        running = []  # in order, some of them waiting for a workshop
        while chosen and counts["killed"] + counts["SURVIVED"] < options.n:
            while chosen and len(running) < 8 * options.j:
                running.append(pool.submit(judge, *chosen.pop(0)))
            verdict, line = running.pop(0).result()
            counts["killed" if verdict.startswith("killed") else verdict] += 1
            print(line, file=table, flush=True)
        for future in running:
            future.cancel()
    counted = counts["killed"] + counts["SURVIVED"]
    share = 100.0 * counts["killed"] / counted if counted else 0
    print("%s mutants: %d of %d killed, %.1f of 100; not counted: %d explained in mutants.equivalent, %d with the same code, "
          "%d that do not compile" % ("PASS" if share >= LEAST else "FAIL", counts["killed"], counted, share,
                                      counts["explained"], counts["the same"], counts["invalid"]), flush=True)
    return share < LEAST


sys.exit(main())
