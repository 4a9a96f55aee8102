#!/usr/bin/env python3
"""Mutants: changes one operator, constant or statement at a time of src/pajesim/, src/pajewrite/, or of what the commands
of the tool share, and runs tests on it.  A mutant that no test notices shows what they do not look at.

usage: tests/full/mutants.py [-n COUNT] [-s SEED] [-j JOBS] [-o TABLE] [-t TEST,...] [FILE...]
FILE: or a folder, or `tool`; all by default.  FILE:LINE tries all mutants of a line.  -n is the count for each of the
three.  -t runs these tests only, such as tool/waits.

Prints a line for each mutant, and for each folder how many were killed; fails if fewer than 95 of 100 were.  Those that
mutants.equivalent explains do not count.

All mutants of a run are compiled into one program, as `if (paje__at(7)) changed; else original;`, of which the environment
chooses one.  So no more is compiled than each test once, and the first run of each test, without any mutant, tells which
switches it reaches: a mutant is tried by these tests alone, by the quick ones and those that killed others first, until
one fails.  What cannot be chosen while a program runs (one of 20: the sizes of arrays, constants in declarations of
several variables) is not tried.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
READER, WRITER, TOOL = "src/pajesim", "src/pajewrite", "tool"
SHARED = ["examples/base", "examples/paje/raw", "examples/paje/replay", "examples/paje/timeline", "examples/paje/chart"]
EQUIVALENT = os.path.join(TOP, "tests/full/mutants.equivalent")
# Generated, or without code.
LEFT_OUT = {"src/pajesim/" + name for name in ("text/lex.h", "api/api.h", "api/travel.h", "api/config.h", "api/manual.h",
                                               "pajesim.h", "memory/platform.h")}
LEFT_OUT |= {"src/pajewrite/" + name for name in ("api/calls.h", "api/config.h", "api/disabled.h", "api/manual.h",
                                                  "api/platform.h", "pajewrite.h")}
LEAST = 95

SWAPS = [("==", "!="), ("!=", "=="), ("<=", "<"), (">=", ">"), ("&&", "||"), ("||", "&&"), ("++", "--"), ("--", "++"),
         ("+=", "-="), ("-=", "+="), ("|=", "&="), ("<<", ">>"), (">>", "<<"), (" < ", " <= "), (" > ", " >= "),
         (" + ", " - "), (" - ", " + "), (" & ", " | "), (" | ", " & "), (" * ", " + ")]

# A test: its name; how its source of tests/ is compiled with the header in it; what the program is run on; whether what
# it prints must be what the original prints.
Test = collections.namedtuple("Test", "name options arguments compared more_sources script", defaults=("", "", False, "", ""))
PLAIN, SANITIZED = "-O1", "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
TREES = " -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u"
FIXED = " -DPAJESIM_TIME_DECIMALS=3 -DPAJESIM_VALUE_DECIMALS=3"
PROSE = "-l 1009 tests/read/prose/[a-z]*.md"
TRACES = " tests/traces/[!i]*.trace"
FUZZ = "-O1 -Itests/fuzz -Iexamples -Iexamples/paje"
READER_TESTS = [
    Test("read/callbacks"), Test("read/arena"), Test("read/queries"), Test("read/index"), Test("read/window"),
    Test("read/number", arguments="1"), Test("read/memory"), Test("read/prose", PLAIN, PROSE),
    Test("read/prose", "-O1 -DPAJESIM__EARLY_TYPES=1u" + TREES, PROSE), Test("read/callbacks", PLAIN + TREES), Test("read/arena", PLAIN + TREES),
    Test("read/queries", PLAIN + TREES),
    Test("read/truncate", arguments="-b 3000000" + TRACES), Test("read/travel", PLAIN, "-v 1 -n 20" + TRACES, True),
    Test("read/prose", "-O1 -DPAJESIM_SMALL=1", PROSE), Test("read/prose", "-O1 -DPAJESIM_REFERENCE=16 -DPAJESIM_TIME_DECIMALS=9 -DPAJESIM_VALUE_DECIMALS=6", PROSE),
    Test("read/fast", "-O1", "4 made/*.trace" + TRACES, True), Test("read/fast", "-O1", "-m 2 4 made/*.trace" + TRACES, True),
    Test("read/fast", "-O1 -DPAJESIM_SIMD=1", "4 made/*.trace" + TRACES, True),
    Test("read/fast", "-O1 -DPAJESIM_SIMD=0", "4 made/*.trace" + TRACES, True),
    Test("read/chunks", PLAIN, "-v 1 -n 20" + TRACES, True), Test("read/chunks", PLAIN + FIXED, "-v 1 -n 10" + TRACES, True),
    Test("read/cost", PLAIN, "500", True), Test("read/prefetch", "-O1"), Test("read/forged", PLAIN, "-v", True),
    Test("read/forged", PLAIN + " -DPAJESIM__EARLY_TYPES=1u", "-v", True), Test("read/forged", PLAIN + TREES, "-v", True),
    Test("read/chunks", SANITIZED, "-n 20" + TRACES),
    Test("fuzz/images", FUZZ, "tests/fuzz/*/images/*", more_sources="tests/fuzz/main.c"),
    Test("fuzz/indexes", FUZZ, "tests/fuzz/*/indexes/*", more_sources="tests/fuzz/main.c"),
    Test("read/index", SANITIZED), Test("read/window", SANITIZED), Test("read/prose", SANITIZED, PROSE),
]
RING = PLAIN + " -DPAJEWRITE_HZ=%d -DDECIMALS=%d -Itests/ring"
WRITER_TESTS = [
    Test("write/blocks", "-O0", "build"), *(Test("write/" + name, "-O0") for name in ("open", "pieces", "limits", "tracks", "flight", "faults")),
    *(Test("write/" + name, "-O1") for name in ("disturbed", "offer", "write")), Test("write/scope", "-O0", "C"), Test("write/write", "-O1 -DPAJEWRITE_CHECK=0"),
    Test("ring/ring", RING % (1000, 3), more_sources="tests/ring/linear.c"),
    Test("ring/ring", RING % (32768, 6), more_sources="tests/ring/linear.c"),
    Test("ring/ring", RING % (25000000, 9), more_sources="tests/ring/linear.c"),
    Test("ring/ring", RING % (1000, 3) + " -DPAJEWRITE_GAPS=0", more_sources="tests/ring/linear.c"), Test("ring/killed", "-O1", "20"),
    Test("fuzz/writer", FUZZ, "tests/fuzz/*/writer/*", more_sources="tests/fuzz/main.c"),
    Test("write/edges", "-O1 -ffast-math"), Test("write/same", "-O1"), Test("write/process", "-O1"),
    Test("write/zones", "-O1", script="QUICK=1 bash tests/write/zones.sh"), Test("write/limits", SANITIZED), Test("write/flight", SANITIZED),
    Test("write/gaps", "-O1", "1 20"), Test("write/learned", "-O1", "1 100"), Test("write/forks", "-O1", "forks.trace"), Test("write/open", "-O1 -fsanitize=address"), Test("write/zones", "-g1 -Og -fsanitize=thread", "at-once 50"),
]
# Options with which all of the code of a header is compiled.
CHECKED = {READER: ["", "-DPAJESIM_SIMD=0", "-DPAJESIM_SIMD=1"],
           WRITER: ["-DPAJEWRITE_KINDS=31 -DPAJEWRITE_CHECK=1 -DPAJEWRITE_ZONES=1", "-DPAJEWRITE_DOUBLE=0",
                    "-DPAJEWRITE_KINDS=31 -DPAJEWRITE_RING=1 '-DPAJEWRITE_NOW()=0' -DPAJEWRITE_HZ=32768 -DPAJEWRITE_DECIMALS=6"]}
COMMON = " -ftrivial-auto-var-init=pattern -pthread -include tests/lib/checked.h -I. -Itests/read -Itests/write"
# Scripts of tests/tool that take too long for what they kill.
SLOW = {"cost", "memory", "merge-clocks", "terminal", "read-examples"}
MARKS = 32768  # there are no more switches
SECONDS = 20  # of a processor, which no test takes


def lines_of_code(path):
    """The lines in functions: number from 0, and the line with blanks for comments and texts."""
    with open(path) as source:
        text = source.read()
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])+\'', lambda m: "\"" + "\0" * (len(m.group()) - 2) + "\"", text)
    going_on = False
    for number, line in enumerate(text.split("\n")):
        if line.startswith("#") or going_on:
            going_on = line.endswith("\\")
        elif line[:1] in (" ", "") and "__ASSERT(" not in line:  # no declarations and the like; nor what is only asserted
            yield number, line


def sites(path):
    """Each place of a file that can be changed: line number from 0, begin, end, replacement."""
    found = []
    for number, line in lines_of_code(path):
        for old, new in SWAPS:
            at = line.find(old)
            while at >= 0:
                around = line[at - 1:at] + line[at + len(old):at + len(old) + 1]
                if not re.search(r"[-+<>=&|]", around if len(old) == 2 else ""):
                    found.append((number, at, at + len(old), new))
                at = line.find(old, at + len(old))
        for match in re.finditer(r"(?<![\w.])(\d+)(u?)\b(?!\.)", "" if re.search(r"\? -1 : 1;$", line) else line):  # of those only the signs count
            other = 0 if line.strip() == "return 1;" else int(match.group(1)) + 1  # 2 is as true as 1
            if not re.match(r"\s+(?:(?:static|const|unsigned) )*\w+ [^=(]*\[$", line[:match.start()]):  # the size of an array
                found.append((number, match.start(), match.end(), str(other) + match.group(2)))
        for match in re.finditer(r"!(?=[\w(])(?!=)", line):
            found.append((number, match.start(), match.end(), ""))
        match = re.match(r"\s+((?:(?:paje\w+_|text_|array_|map_|stream_)\w+\(.*\)|[\w>.\[\]()-]+ [-+|&]?= .*|[\w>.-]+(?:\+\+|--)));$", line)
        if match:
            found.append((number, match.start(1), match.end(1), "(void)0"))
    return found


# Each switch marks in a file that it was reached.  Programs have more than one source with this.
CHOOSE = """#ifndef PAJE_LISTED
#include <sys/syscall.h>
char *getenv(const char *);
long syscall(long, ...);
static int paje__mutant;
__attribute__((common)) unsigned char paje__none[%d]; /* one for all sources, as tests limit the program's memory */
__attribute__((weak)) unsigned char *paje__marks = paje__none;
#define paje__at(number) (__atomic_store_n(&paje__marks[number], 1, __ATOMIC_RELAXED), paje__mutant == (number))
__attribute__((constructor(101), no_instrument_function)) static void paje__choose(void)
{
    const char *number = getenv("PAJE_MUTANT"), *marks = getenv("PAJE_MARKS");
    const long file = marks && paje__marks == paje__none ? syscall(SYS_openat, -100, marks, 2) : -1;
    for (; number && *number; number++)
        paje__mutant = paje__mutant * 10 + (*number - '0');
    if (file >= 0) {
        const long at = syscall(SYS_mmap, 0L, sizeof paje__none, 3L, 1L, file, 0L);
        if (at > 0)
            paje__marks = (unsigned char *)at;
        syscall(SYS_close, file);
    }
}
#endif
""" % MARKS
# A compiler that keeps what it made, for scripts that compile the same each time.
CACHING = """#!/bin/bash
made="$0.$(pwd | md5sum | cut -c-8).$(md5sum <<<"$*" | cut -c-32)"
for ((i = 1; i < $#; i++)); do [ "${!i}" != -o ] || { j=$((i + 1)); out=${!j}; }; done
[ "${out:-}" ] || exec gcc "$@"
[ -e "$made" ] || { gcc "$@" && cp "$out" "$made"; exit; }
cp "$made" "$out"
"""


def balanced(text):
    depth = 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            return False
    return depth == 0


def split_at(text, mark):
    """Splits at a mark that is in no brackets."""
    pieces, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == mark and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += c
    return pieces


def statement(lines, site):
    """Returns the first line of the statement that a site is in, how many lines it has, it without comments, and its mutant; or None."""
    first = last = site[0]
    while first and goes_on(lines[first - 1], lines[first]):
        first -= 1
    while last + 1 < len(lines) and goes_on(lines[last], lines[last + 1]):
        last += 1
    line = lines[site[0]]
    if "/*" in line[:site[1]] or any("/*" in one and "*/" not in one or one.startswith("#") for one in lines[first:last + 1]):
        return None
    codes = [without_comments(one) for one in lines[first:last + 1]]
    offset = sum(len(one) + 1 for one in codes[:site[0] - first]) - (len(line) - len(line.lstrip()))
    code = " ".join(codes)
    if any(re.search(r"[][(){},;]", text) for text in re.findall(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'', code)):
        return None
    return first, last + 1 - first, code, code[:site[1] + offset] + site[3] + code[site[2] + offset:]


def goes_on(line, after):
    """Whether the line after is of the same statement."""
    return bool(re.search(r"[-+*/|&^,(?=<>%]$", without_comments(line))) or after.lstrip()[:2] in ("? ", ": ")


def one_of(form, mutants, original):
    return "".join("paje__at(%d) ? %s : " % (number, form % text) for number, text in mutants) + form % original


def switched(code, mutants):
    """Returns a statement that is any of these mutants, or the original, and which of them it has; or None."""
    if not balanced(re.sub(r"^\} | \{$", "", code)) or "/*" in code or "*/" in code:
        return None
    for pattern, form, fixed in ((r"((?:\} ?)?(?:else )?(?:if|while)) \((.*)\)( \{|;)?", "!!(%s)", (1, 3)), (r"(return )(.*)(;)", "(%s)", ()),
                                 (r"((?:const )?(?:struct )?\w+ \*?(?:const )?\w+ = )(.*)(;)", "(%s)", (1,))):
        original = re.fullmatch(pattern, code)
        if original:
            if not balanced(original[2]) or original[1].startswith(("static", "goto")) or (
                    pattern.startswith("((?:const") and (len(split_at(original[2], ",")) > 1 or original[2].startswith("{"))):
                return None
            found = [(number, re.fullmatch(pattern, mutant)) for number, mutant in mutants]
            found = [(number, it[2]) for number, it in found if it and all(it[i] == original[i] for i in fixed)]
            text = one_of(form, found, original[2])
            return (original[1] + (" (%s)" % text if form[0] == "!" else text) + (original[3] or ""), [n for n, _ in found]) if found else None
    loop = re.fullmatch(r"for \((.*)\)( \{)?", code)
    if loop and balanced(loop[1]):
        old = split_at(loop[1], ";")
        found = [(number, re.fullmatch(r"for \((.*)\)( \{)?", mutant)) for number, mutant in mutants]
        found = [(number, split_at(it[1], ";")) for number, it in found if it]
        found = [(number, now) for number, now in found if len(now) == len(old) == 3 and not (
            re.match(r" *(const )?\w+ \*?\w+ =", old[0]) and now[0] != old[0])]
        parts = [one_of((" !!(%s)" if i == 1 else "(void)(%s)"), [(n, now[i]) for n, now in found if now[i] != old[i]], old[i])
                 if any(now[i] != old[i] for _, now in found) else old[i] for i in range(len(old))]
        return ("for (%s)%s" % (";".join(parts), loop[2] or ""), [n for n, _ in found]) if found else None
    if code.endswith(";") and re.match(r"[\w*(]", code) and not re.match(r"(return|case|default|static|const|goto|else|if|for|while|do|break|enum|typedef)\b", code) \
            and not re.match(r"(\w+[ *]+)+(\w+|\(\*\w+\))(\[.*?\])*( = |;|,)", code) and len(split_at(code, ";")) == 2:
        return "".join("if (paje__at(%d)) { %s } else " % one for one in mutants) + "{ %s }" % code, [n for n, _ in mutants]
    return None


Result = collections.namedtuple("Result", "output seconds")  # output: None if it failed


def ticks_of_session(session):
    """What the processes of a session have used of processors, with their children that have ended."""
    used = 0
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%d/stat" % int(name)) as file:
                fields = file.read().rpartition(")")[2].split()
            used += sum(map(int, fields[11:15])) if int(fields[3]) == session else 0
        except (ValueError, OSError):
            pass
    return used


def run(command, folder, seconds, environment):
    """Runs a command until its first FAIL, for some seconds of a processor and more on the clock."""
    def limit():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))

    process = subprocess.Popen(command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, preexec_fn=limit, env=environment)

    def end():
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    over = threading.Event()

    def watch():
        """Ends what takes too long, or what hangs: a minute in which the session has used no processor at all."""
        began = since = time.monotonic()
        last = -1
        while not over.wait(5):
            used, now = ticks_of_session(process.pid), time.monotonic()
            if used != last:
                last, since = used, now
            if now - since > 60 or now - began > 30 + 10 * seconds:
                end()

    threading.Thread(target=watch, daemon=True).start()
    output, failed = [], False
    for line in process.stdout:
        output.append(line)
        if line.startswith(b"FAIL"):
            failed = True
            end()
            break
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    over.set()
    end()
    return Result(None if failed or status else b"".join(output), used.ru_utime + used.ru_stime)


class Switches:
    """Sources below a folder in which mutants can be chosen, by their numbers from 1."""

    def __init__(self, folder, chosen):
        self.folder, self.sources, self.groups = folder, {}, collections.defaultdict(list)
        for number, (name, site) in enumerate(chosen, 1):
            if name not in self.sources:
                with open(os.path.join(folder, name)) as source:
                    self.sources[name] = source.read().split("\n")
            found = statement(self.sources[name], site)
            if found and switched(found[2], [(number, found[3])]):
                self.groups[name, found[0]].append((number,) + found)
        with open(os.path.join(folder, "choose.h"), "w") as source:
            source.write(CHOOSE)
        with open(os.path.join(folder, "cc"), "w") as compiler:
            compiler.write(CACHING)
        os.chmod(os.path.join(folder, "cc"), 0o755)
        self.write()

    def numbers(self):
        return {number for group in self.groups.values() for number, *_ in group}

    def write(self):
        texts = {name: list(lines) for name, lines in self.sources.items()}
        for (name, first), group in self.groups.items():
            count, code = group[0][2:4]
            text, _ = switched(code, [(number, mutant) for number, *_, mutant in group])
            texts[name][first:first + count] = [text] + [""] * (count - 1)
        for name, lines in texts.items():
            with open(os.path.join(self.folder, name), "w") as source:
                source.write("\n".join(lines))

    def compiles(self, command):
        """Leaves out what does not compile, until the rest does."""
        while True:
            done = subprocess.run(command, shell=True, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if done.returncode == 0:
                return
            bad = {(os.path.normpath(path), int(number) - 1) for path, number in re.findall(
                r"^(?:.* inlined from .* at )?([^ :]+):(\d+):\d+(?:: error|[,:]$)", done.stderr.decode(), re.M)}
            wrong = [key for key in self.groups if key in bad] or [
                key for key in self.groups if any(key[0] == path and abs(key[1] - line) < 3 for path, line in bad)]
            if not wrong:
                sys.exit("FAIL mutants: the switches do not compile: " + done.stderr.decode()[:2000])
            for key in wrong:
                self.groups[key].pop()
                if not self.groups[key]:
                    del self.groups[key]
            self.write()


def make_paje(jobs):
    subprocess.check_call(["make", "-s", "-j%d" % jobs, "paje"], cwd=TOP)


class Subject:
    """Tests that are run on mutants.  Of the kinds below each has names, command(index) and environment."""
    only = set()  # names of the tests that are run; all if there are none

    def measure(self, numbers, jobs):
        """Runs each test without any mutant: what it prints, how long it takes, and which switches it reaches."""
        self.good, self.reaching, self.kills = {}, collections.defaultdict(list), collections.Counter()
        chosen = [index for index, name in enumerate(self.names) if not self.only or name in self.only]
        self.turns = collections.defaultdict(threading.Lock)  # as two of one name would write the same files
        self.listed = self.list_compiled(numbers)

        def measure_one(index):
            path = os.path.join(self.folder, "marks-%d" % index)
            with open(path, "wb") as file:
                file.truncate(MARKS)
            self.good[index] = self.run(index, 0, 6 * SECONDS, PAJE_MARKS=path)
            if self.good[index].output is None:
                print("# %s fails without any mutant, and is left out" % self.names[index], file=sys.stderr, flush=True)
                return
            with open(path, "rb") as file:
                marks = file.read()
            for number in numbers:
                if marks[number]:
                    self.reaching[number].append(index)

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(measure_one, chosen))
        print("# %d tests without any mutant: %.0f s" % (len(chosen), sum(one.seconds for one in self.good.values())), file=sys.stderr, flush=True)

    def run(self, index, number, seconds, **more):
        with self.turns[self.names[index]]:
            return run(self.command(index), self.folder, seconds, dict(self.environment, PAJE_MUTANT=str(number), **more))

    def judge(self, number):
        if number not in self.listed:
            return "not compiled"
        if not self.reaching[number]:
            return "SURVIVED, no test executes it"
        for index in sorted(self.reaching[number], key=lambda n: self.good[n].seconds / (1 + self.kills[n])):
            result = self.run(index, number, 2 + 5 * self.good[index].seconds).output
            if result is None or (self.is_compared(index) and result != self.good[index].output):
                self.kills[index] += 1
                return "killed by " + self.names[index]
        return "SURVIVED"


class Header(Subject):
    """A header, whose tests are programs of one source, and scripts that compile some."""

    def __init__(self, of, folder, chosen, jobs):
        self.tests = READER_TESTS if of == READER else WRITER_TESTS
        self.names = [test.name for test in self.tests]
        self.of, self.folder, self.header, self.lock = of, folder, os.path.basename(of), threading.Lock()
        for name in "src", "tests", "examples":
            shutil.copytree(os.path.join(TOP, name), os.path.join(folder, name))
        for name in "LICENSE", "bench/generate.c":
            shutil.copy(os.path.join(TOP, name), folder)
        os.makedirs(os.path.join(folder, "build"))  # where tests write files
        self.environment = dict(os.environ, CC="%s/cc -include %s/choose.h" % (folder, folder))
        for header in "pajesim", "pajewrite":
            subprocess.check_call([folder + "/src/amalgamate.sh", header])
        if of == WRITER:  # its tests read back what was written
            make_paje(jobs)
            os.symlink(os.path.join(TOP, "build/paje"), os.path.join(folder, "build/paje"))
            with open(os.path.join(folder, "Makefile"), "w") as makefile:
                makefile.write("paje:\n")
            subprocess.check_call("sed -i '/define PAJESIM_IMPLEMENTATION/d' tests/write/*.[ch] && gcc -w -O1 -I. "
                                  "-DPAJESIM_IMPLEMENTATION -x c -c pajesim.h -o pajesim.o && ar rcs pajesim.a pajesim.o", shell=True, cwd=folder)
        else:
            self.make_traces()
        self.switches = Switches(folder, chosen)
        for options in CHECKED[of]:
            self.switches.compiles("LINE=1 src/amalgamate.sh %s && gcc -w -std=gnu99 -include choose.h %s -D%s_IMPLEMENTATION "
                                   "-O1 -c -o /dev/null -x c %s.h" % (self.header, options, self.header.upper(), self.header))
        self.measure(self.switches.numbers(), jobs)

    def make_traces(self):
        os.makedirs(os.path.join(self.folder, "made"))
        subprocess.check_call("gcc -O2 -I. generate.c -o generate", shell=True, cwd=self.folder)
        for name, options in (("words", "-b 200000 -c 100"), ("odd", "-b 200000 -c 50 -a long -q -t -n 20 -u 2 -e 3"),
                              ("integers", "-b 200000 -c 50 -r -a integers"), ("many", "-b 400000 -c 10000")):
            subprocess.check_call("./generate %s >made/%s.trace" % (options, name), shell=True, cwd=self.folder)

    def compilation(self, index):
        test = self.tests[index]
        return "gcc -w -std=%s %s%s -include choose.h tests/%s.c %s" % (
            "gnu99" if test.script else "c99", test.options or PLAIN, COMMON, test.name, test.more_sources)

    def list_compiled(self, numbers):
        """The switches that are compiled on this machine, in some test."""
        listed = set()
        for index in range(len(self.tests)):
            text = subprocess.run(self.compilation(index) + " -E -DPAJE_LISTED", shell=True, cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL).stdout
            listed |= {int(number) for number in re.findall(rb"paje__at\((\d+)\)", text)}
        return listed

    def command(self, index):
        test = self.tests[index]
        if test.script:
            return test.script
        program = "build/test-%d" % index
        if not os.path.exists(os.path.join(self.folder, program)):
            subprocess.check_call("%s -o %s %s" % (self.compilation(index), program, "pajesim.a -lm" if self.of == WRITER else "-lm"),
                                  shell=True, cwd=self.folder)
        return "%s %s" % (program, test.arguments)

    def is_compared(self, index):
        return self.tests[index].compared


class Tool(Subject):
    """What the commands share, with the scripts of tests/tool, and one that looks at what `paje trace` merges."""

    def __init__(self, _, folder, chosen, jobs):
        self.folder = os.path.join(folder, "top")
        make_paje(jobs)
        shutil.copytree(TOP, self.folder, symlinks=True, ignore=lambda where, names: [name for name in names if name in (
            ".git", "fuzz", "test-output", "disturb", "attack") or where.endswith("build") and name in ("tests", "bench", "m")])
        self.names = ["tool/" + name[:-3] for name in sorted(os.listdir(os.path.join(TOP, "tests/tool")))
                      if name.endswith(".sh") and not name.startswith("lib") and name[:-3] not in SLOW] + ["trace/sample"]
        self.environment = dict(os.environ, CC="gcc -w -include %s/choose.h" % self.folder, CFLAGS="-O1")
        self.switches = Switches(self.folder, chosen)
        for name in sorted({name for name, _ in self.switches.groups if name.endswith(".c")}):
            self.switches.compiles("gcc -w -std=c99 -include choose.h -I. -Iexamples -Iexamples/paje -Ibuild/paje.d -fsyntax-only " + name)
        objects = " ".join(part.replace("examples", "build/paje.d") for part in SHARED)
        subprocess.check_call("rm -rf build/paje %s && make -s -j%d paje" % (objects, jobs), shell=True, cwd=self.folder, env=self.environment)
        self.measure(self.switches.numbers(), jobs)

    @staticmethod
    def list_compiled(numbers):
        return numbers

    def command(self, index):
        return "bash tests/%s.sh" % self.names[index]

    @staticmethod
    def is_compared(_):
        return False


def parts(folder):
    return sorted(os.path.relpath(os.path.join(where, name), TOP) for where, _, names in os.walk(os.path.join(TOP, folder))
                  for name in names if name.endswith(".h") or (name.endswith(".c") and folder in SHARED))


def known():
    """Survivors that were looked at: file, line, mutated line or *."""
    with open(EQUIVALENT) as table:
        return {tuple(line.split("\t")[:3]) for line in table if line.count("\t") == 3}


def without_comments(line):
    return re.sub(r"\s*/\*.*?\*/", "", line).strip()


def try_one(subject, number, name, site, equivalent):
    lines = subject.switches.sources.get(name)
    old = lines[site[0]]
    new = old[:site[1]] + site[3] + old[site[2]:]
    if {(name, without_comments(old), without_comments(new)), (name, without_comments(old), "*")} & equivalent:
        verdict = "explained"
    else:
        verdict = subject.judge(number)
    return verdict, name, "%s\t%s:%d\t%s\t->\t%s" % (verdict, name, site[0] + 1, old.strip(), new.strip())


def try_sample(of, names, of_lines, options, table):
    """Returns counts of verdicts by folder, and of all."""
    counts = collections.Counter()
    sources = {name: list(sites(os.path.join(TOP, name))) for name in names}
    chosen = [(name, site) for name in names for site in sources[name] if not of_lines or (name, site[0]) in of_lines]
    random.Random(options.s).shuffle(chosen)
    del chosen[2 * options.n + 20:]
    equivalent = known()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        subject = (Tool if of == TOOL else Header)(of, folder, chosen, options.j)
        can = subject.switches.numbers()
        waiting = [(number, *one) for number, one in enumerate(chosen, 1) if number in can]
        running = []
        while (waiting or running) and counts["", "killed"] + counts["", "SURVIVED"] < options.n:
            while waiting and len(running) < 2 * options.j:
                running.append(pool.submit(try_one, subject, *waiting.pop(0), equivalent))
            verdict, name, line = running.pop(0).result()
            for where in "", os.path.dirname(name):
                counts[where, re.match(r"\w+", verdict).group()] += 1
            print(line, file=table, flush=True)
        for future in running:
            future.cancel()
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("-s", type=int, default=2026)
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("-o")
    parser.add_argument("-t")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    options.files = [one for file in options.files for one in (SHARED if file == TOOL else [file])]
    for path in options.files:
        if not os.path.exists(os.path.join(TOP, path.partition(":")[0])):
            parser.error("no such file as " + path)
    Subject.only = set(options.t.split(",") if options.t else ())
    table = open(options.o, "w") if options.o else sys.stdout
    failed = False
    of_lines = {(path, int(line) - 1) for path, _, line in (one.partition(":") for one in options.files) if line}
    of_files = tuple(one.partition(":")[0] for one in options.files)
    for of, folders in (READER, [READER]), (WRITER, [WRITER]), (TOOL, SHARED):
        names = [name for folder in folders for name in parts(folder)
                 if name not in LEFT_OUT and (not of_files or name.startswith(of_files))]
        if not names:
            continue
        counts = try_sample(of, names, of_lines, options, table)
        for where in sorted({where for where, _ in counts if where}):
            print("%-28s %3d killed, %2d survived, %2d equivalent" % (where, counts[where, "killed"], counts[where, "SURVIVED"],
                                                                     counts[where, "explained"]))
        killed, survived = counts["", "killed"], counts["", "SURVIVED"]
        share = 100.0 * killed / (killed + survived) if killed + survived else 0
        print("%s mutants of %s: %d of %d killed, %.1f of 100; not counted: %d explained in mutants.equivalent, %d not compiled "
              "on this machine" % ("PASS" if share >= LEAST else "FAIL", of, killed, killed + survived, share,
                                   counts["", "explained"], counts["", "not"]), flush=True)
        failed |= share < LEAST
    return failed


if __name__ == "__main__":
    sys.exit(main())
