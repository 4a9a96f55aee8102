#!/usr/bin/env python3
"""Mutants: changes one operator, constant or statement at a time of src/pajesim/, src/pajewrite/, or of what the commands
of the tool share (examples/base/, and replay/, timeline/, chart/ of examples/paje/), and runs tests on it.  A mutant that
no test notices shows what they do not look at.

usage: tests/full/mutants.py [-n COUNT] [-s SEED] [-j JOBS] [-o TABLE] [FILE...]     FILE: or a folder; all by default
-n is the count for each of the three.  FILE:LINE tries all mutants of a line.

Prints a line for each mutant, and for each folder how many were killed; fails if fewer than 95 of 100 were.  Mutants that
do not compile, or whose programs are those of the original, do not count, nor do those that mutants.equivalent explains.

Most mutants are compiled into one program, as `if (paje__at(7)) changed; else original;`, of which the environment
chooses one; the others are compiled one by one.

Which tests execute which line is measured once, by gcov and, for the tool, by such switches that change nothing; it is
kept in build/mutants until the test changes.  A mutant is tried by tests that execute its line, the quick ones and those
that killed others in its file first; if there is none, it survives at once.
"""
import argparse
import collections
import concurrent.futures
import gzip
import hashlib
import json
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
import threading

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

# A test: its name; how its source of tests/ is compiled with the header in it, or None if it uses nothing internal and is
# linked with the header, which is compiled once for all of these; what the program is run on; whether what it prints must be what the original prints.
Test = collections.namedtuple("Test", "name options arguments compared more_sources script", defaults=(None, "", False, "", ""))
PLAIN, SANITIZED = "-O1 -ftrivial-auto-var-init=pattern", "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
TREES = " -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u"
PROSE = "-l 1009 tests/read/prose/[a-z]*.md"
TRACES = " tests/traces/[!i]*.trace"
READER_TESTS = [
    Test("read/callbacks"), Test("read/arena"), Test("read/queries"), Test("read/index"), Test("read/window"),
    Test("read/number", arguments="1"), Test("read/memory"), Test("read/prose", PLAIN, PROSE),
    Test("read/prose", "-O1" + TREES, PROSE), Test("read/callbacks", PLAIN + TREES), Test("read/arena", PLAIN + TREES),
    Test("read/queries", PLAIN + TREES),
    Test("read/truncate", arguments="-b 3000000" + TRACES), Test("read/travel", PLAIN, TRACES),
    Test("read/fast", "-O1", "4 made/*.trace" + TRACES, True), Test("read/fast", "-O1", "-m 2 4 made/*.trace" + TRACES, True),
    Test("read/fast", "-O1 -DPAJESIM_SIMD=1", "4 made/*.trace" + TRACES, True),
    Test("read/fast", "-O1 -DPAJESIM_SIMD=0", "4 made/*.trace" + TRACES, True),
    Test("read/chunks", PLAIN, "-n 20" + TRACES),
    Test("read/cost", PLAIN, "500", True), Test("read/prefetch", "-O1"), Test("builds/instructions", "-O2"),
    Test("read/index", SANITIZED), Test("read/window", SANITIZED), Test("read/prose", SANITIZED, PROSE),
]
RING = "-O1 -DPAJEWRITE_HZ=%d -DDECIMALS=%d -Itests/ring"
WRITER_TESTS = [
    Test("write/blocks", "-O0", "build"), *(Test("write/" + name, "-O0") for name in ("open", "pieces", "limits", "tracks", "flight", "faults")),
    *(Test("write/" + name, "-O1") for name in ("disturbed", "offer", "write")), Test("write/scope", "-O0", "C"), Test("write/write", "-O1 -DPAJEWRITE_CHECK=0"),
    Test("ring/ring", RING % (1000, 3), more_sources="tests/ring/linear.c"),
    Test("ring/ring", RING % (32768, 6), more_sources="tests/ring/linear.c"),
    Test("ring/ring", RING % (25000000, 9), more_sources="tests/ring/linear.c"), Test("ring/killed", "-O1", "20"),
    Test("fuzz/writer", "-O1 -Itests/fuzz -Iexamples", "tests/fuzz/*/writer/*", more_sources="tests/fuzz/main.c"),
    Test("write/edges", "-O1 -ffast-math"), Test("write/same", "-O1"), Test("write/process", "-O1"),
    Test("write/zones", "-O1", script="QUICK=1 bash tests/write/zones.sh"), Test("write/limits", SANITIZED),
]
# Options with which all of the code of a header is compiled.
CHECKED = {READER: ["", "-DPAJESIM_SIMD=0", "-DPAJESIM_SIMD=1"],
           WRITER: ["-DPAJEWRITE_KINDS=31 -DPAJEWRITE_CHECK=1 -DPAJEWRITE_ZONES=1", "-DPAJEWRITE_DOUBLE=0",
                    "-DPAJEWRITE_RING=1 '-DPAJEWRITE_NOW()=0' -DPAJEWRITE_HZ=32768 -DPAJEWRITE_DECIMALS=6"]}
COMMON = " -pthread -include tests/lib/checked.h -I. -Itests/read -Itests/write"
# Scripts of tests/tool that take too long for what they kill.
SLOW = {"cost", "memory", "merge-clocks", "html", "terminal", "read-examples"}
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


def marks(path):
    """The lines of a file, as sites where nothing is changed."""
    before = ";"
    for number, line in lines_of_code(path):
        if line.strip():
            if before[-1] in ";{}):" or before.endswith("else"):
                yield number, 0, 0, ""
            before = line.strip()


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
        for match in re.finditer(r"(?<![\w.])(\d+)(u?)\b(?!\.)", line):
            other = 0 if line.strip() == "return 1;" else int(match.group(1)) + 1  # 2 is as true as 1
            if not re.match(r"\s+(?:(?:static|const|unsigned) )*\w+ [^=(]*\[$", line[:match.start()]):  # the size of an array
                found.append((number, match.start(), match.end(), str(other) + match.group(2)))
        for match in re.finditer(r"!(?=[\w(])(?!=)", line):
            found.append((number, match.start(), match.end(), ""))
        match = re.match(r"\s+((?:(?:paje\w+_|text_|array_|map_|stream_)\w+\(.*\)|[\w>.\[\]()-]+ [-+|&]?= .*|[\w>.-]+(?:\+\+|--)));$", line)
        if match:
            found.append((number, match.start(1), match.end(1), "(void)0"))
    return found


# With PAJE_MARKED each switch also marks in a file that it was executed.  Programs have more than one source with this.
CHOOSE = """char *getenv(const char *);
static int paje__mutant;
#ifdef PAJE_MARKED
#include <sys/syscall.h>
long syscall(long, ...);
static unsigned char paje__none[%d], *paje__marks = paje__none;
__attribute__((constructor, no_instrument_function)) static void paje__map(void)
{
    const char *marks = getenv("PAJE_MARKS");
    const long file = marks ? syscall(SYS_openat, -100, marks, 2) : -1;
    if (file >= 0) {
        const long at = syscall(SYS_mmap, 0L, sizeof paje__none, 3L, 1L, file, 0L);
        if (at > 0)
            paje__marks = (unsigned char *)at;
        syscall(SYS_close, file);
    }
}
#define paje__at(number) (paje__marks[number] = 1, paje__mutant == (number))
#else
#define paje__at(number) (paje__mutant == (number))
#endif
__attribute__((constructor, no_instrument_function)) static void paje__choose(void)
{
    const char *number = getenv("PAJE_MUTANT");
    for (; number && *number; number++)
        paje__mutant = paje__mutant * 10 + (*number - '0');
}
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


def switched(line, site, number):
    """Returns a line that is either of both, or None where more than this line has to change."""
    _, begin, end, new = site
    if "/*" in line[:begin] or any(re.search(r"[][(){},;]", text) for text in re.findall(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'', line)):
        return None
    code = without_comments(line)
    mutant = without_comments(line[:begin] + new + line[end:])
    if not balanced(re.sub(r"^\} | \{$", "", code)) or "/*" in code or "*/" in code:
        return None
    chosen = "paje__at(%d)" % number
    either = lambda mutated, original: "%s ? (%s) : (%s)" % (chosen, mutated, original)
    for pattern, make in (
            (r"((?:\} ?)?(?:else )?(?:if|while)) \((.*)\)( \{|;)?", lambda m, o: "%s (%s ? !!(%s) : !!(%s))%s" % (
                o[1], chosen, m[2], o[2], o[3] or "")),
            (r"()return (.*);()", lambda m, o: "return " + either(m[2], o[2]) + ";"),
            (r"((?:const )?(?:struct )?\w+ \*?(?:const )?\w+) = (.*);()", lambda m, o: "%s = %s;" % (o[1], either(m[2], o[2]))
             if len(split_at(o[2], ",")) == 1 and not o[2].startswith("{") else None)):
        original, mutated = re.fullmatch(pattern, code), re.fullmatch(pattern, mutant)
        if original:
            return make(mutated, original) if mutated and mutated[1] == original[1] and balanced(original[2]) and not (
                original[1].startswith(("static", "return", "goto"))) else None
    loop, mutated = re.fullmatch(r"for \((.*)\)( \{)?", code), re.fullmatch(r"for \((.*)\)( \{)?", mutant)
    if loop and mutated and balanced(loop[1]):
        old, now = split_at(loop[1], ";"), split_at(mutated[1], ";")
        if len(old) != 3 or len(now) != 3 or (re.match(r" *(const )?\w+ \*?\w+ =", old[0]) and now[0] != old[0]):
            return None
        parts = ["%s ? (void)(%s) : (void)(%s)" % (chosen, n, o) if n != o else o for n, o in zip(now, old)]
        if now[1] != old[1] or now == old and old[1].strip():  # or it only marks
            parts[1] = " %s ? !!(%s) : !!(%s)" % (chosen, now[1], old[1])
        return "for (%s)%s" % (";".join(parts), loop[2] or "")
    if code.endswith(";") and re.match(r"[\w*(]", code) and not re.match(r"(return|case|default|static|const|goto|else|if|for|while|do|break|enum|typedef)\b", code) \
            and not re.match(r"(\w+[ *]+)+(\w+|\(\*\w+\))(\[.*?\])*( = |;|,)", code) and len(split_at(code, ";")) == 2:
        return "if (%s) { %s } else { %s }" % (chosen, mutant, code)
    return None


def goes_on(line, after):
    """Whether the line after is of the same statement."""
    return bool(re.search(r"[-+*/|&^,(?=<>%]$", without_comments(line))) or after.lstrip()[:2] in ("? ", ": ")


def switched_whole(lines, site, number):
    """As `switched`, for all lines of a statement; returns the first, how many they are, and what they become, or None."""
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
    text = switched(" ".join(codes), (0, site[1] + offset, site[2] + offset, site[3]), number)
    return text and (first, last + 1 - first, text)


Result = collections.namedtuple("Result", "output seconds")  # output: None if it failed


def run(command, folder, seconds=SECONDS, environment=None, whole=False):
    """Runs a command until its first FAIL, or as a whole, for some seconds of a processor and more on the clock."""
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

    alarm = threading.Timer(30 + 10 * seconds, end)
    alarm.start()
    output, failed = [], False
    for line in process.stdout:
        output.append(line)
        if line.startswith(b"FAIL"):
            failed = True
            if not whole:
                break
    if failed and not whole:
        end()
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    alarm.cancel()
    end()
    return Result(None if failed or status else b"".join(output), used.ru_utime + used.ru_stime)


def compiled(command, folder):
    return subprocess.call(command, shell=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0


# ---- which test executes which line


def executed_lines(folder):
    """Returns all that gcov knows below a folder: path of the source, line, whether it was executed."""
    lines = {}
    for where, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".gcda"):
                continue
            text = subprocess.run(["gcov", "-j", "-t", name], cwd=where, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            for one in text.splitlines():
                for source in json.loads(one)["files"]:
                    path = os.path.normpath(source["file"])
                    at = max(path.rfind("/" + part + "/") for part in (READER, WRITER))
                    known = lines.setdefault(path[at + 1:], {})
                    for line in source["lines"]:
                        number = str(line["line_number"])
                        known[number] = known.get(number, False) or line["count"] > 0
    return {path: known for path, known in lines.items() if path.startswith("src/")}


def preprocessed_lines(command, folder):
    """The lines of sources that are left by the preprocessor."""
    lines, path, number = set(), "", 0
    text = subprocess.run(command, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    for line in text.split("\n"):
        marker = re.match(r'# (\d+) "(.*?)"', line)
        if marker:
            path, number = marker.group(2), int(marker.group(1))
            continue
        if line.strip() and path.startswith("src/"):
            lines.add("%s:%d" % (path, number))
        number += 1
    return lines


def included(folder, name):
    """The files of this folder that a source includes."""
    found, new = set(), {name}
    while new:
        found |= new
        texts = [open(os.path.join(folder, one)).read() for one in new]
        new = {one for text in texts for one in re.findall(r'#include "([^"/]+)"', text) if os.path.exists(os.path.join(folder, one))} - found
    return found


def hash_of(paths, more=""):
    state = hashlib.sha256(more.encode())
    for path in sorted(paths):
        with open(path, "rb") as source:
            state.update(os.path.basename(path).encode() + source.read())
    return state.hexdigest()[:24]


class Coverage:
    """What one test executes.  It is kept as texts of lines, so that it holds for other lines when a source changes."""

    def __init__(self, top, key, measure):
        """`measure` returns seconds, a dictionary of executed_lines, and which lines the preprocessor left."""
        kept = os.path.join(TOP, "build/mutants", key + ".gz")
        if not os.path.exists(kept):
            os.makedirs(os.path.dirname(kept), exist_ok=True)
            seconds, lines, left = measure()
            texts = {path: list(self.numbered(top, path)) for path in lines}
            with gzip.open(kept, "wt") as file:
                json.dump({"seconds": seconds, "left": left, "lines": {path: {
                    texts[path][int(number) - 1]: executed for number, executed in known.items()} for path, known in lines.items()}}, file)
        with gzip.open(kept, "rt") as file:
            read = json.load(file)
        self.seconds, self.left = read["seconds"], set(read["left"])
        self.executed = {}
        for path, known in read["lines"].items():
            if os.path.exists(os.path.join(top, path)):
                # A line that is not known belongs to the one before, those at the beginning of a function to the next one.
                last, of_lines = None, []
                with open(os.path.join(top, path)) as source:
                    starts = [line == "{" for line in source.read().split("\n")]
                for text, starts_function in zip(self.numbered(top, path), starts):
                    last = known.get(text, None if starts_function else last)
                    of_lines.append(last)
                for number in reversed(range(len(of_lines) - 1)):
                    if of_lines[number] is None:
                        of_lines[number] = of_lines[number + 1]
                self.executed[path] = of_lines

    @staticmethod
    def numbered(top, path):
        """The lines of a file, each with how often it was there before."""
        seen = collections.Counter()
        with open(os.path.join(top, path)) as source:
            for line in source.read().split("\n"):
                seen[line] += 1
                yield "%s %d" % (line.strip(), seen[line])

    def executes(self, path, line):
        return path in self.executed and self.executed[path][line - 1]


class Switches:
    """Sources of a folder in which mutants can be chosen."""

    def __init__(self, folder, top, chosen):
        self.numbers, self.folder, self.top = {}, folder, top
        taken = set()
        for number, (name, site) in enumerate(chosen, 1):
            with open(os.path.join(top, name)) as source:
                lines = source.read().split("\n")
            found = switched_whole(lines, site, number)
            own = {(name, found[0] + i) for i in range(found[1])} if found else set()
            if found and not own & taken:
                taken |= own
                self.numbers[name, site] = (number,) + found
        with open(os.path.join(folder, "choose.h"), "w") as source:
            source.write(CHOOSE)
        with open(os.path.join(folder, "cc"), "w") as compiler:
            compiler.write(CACHING)
        os.chmod(os.path.join(folder, "cc"), 0o755)
        self.write()

    def write(self):
        for name in {name for name, _ in self.numbers}:
            with open(os.path.join(self.top, name)) as source:
                lines = source.read().split("\n")
            for (of, _), (_, first, count, text) in self.numbers.items():
                if of == name:
                    lines[first:first + count] = [text] + [""] * (count - 1)
            with open(os.path.join(self.folder, name), "w") as source:
                source.write("\n".join(lines))

    def compiles(self, command, remake=None):
        """Leaves out what does not compile, until the rest does."""
        while True:
            if remake:
                remake()
            done = subprocess.run(command, shell=True, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if done.returncode == 0:
                return
            bad = {(os.path.normpath(path), int(number) - 1) for path, number in re.findall(
                r"^([^ :]+):(\d+):\d+: error", done.stderr.decode(), re.M)}
            wrong = [key for key, (_, first, *_) in self.numbers.items() if (key[0], first) in bad] or [
                key for key in self.numbers if any(key[0] == path and abs(key[1][0] - line) < 3 for path, line in bad)]
            if not wrong:
                sys.exit("FAIL mutants: the switches do not compile: " + done.stderr.decode()[:2000])
            files = {name for name, _ in wrong}
            for key in wrong:
                del self.numbers[key]
            for name in files:
                shutil.copy(os.path.join(self.top, name), os.path.join(self.folder, name))
            self.write()


# ---- the headers


class Workshop:
    """A folder in which sources of a header are changed, compiled and tested; `top` is what they are taken from."""

    def __init__(self, folder, top, of):
        self.folder, self.top, self.of, self.header = folder, top, of, os.path.basename(of)
        os.makedirs(os.path.join(folder, "build"))  # where tests write files
        shutil.copy(os.path.join(top, "LICENSE"), folder)
        shutil.copytree(os.path.join(top, "src"), os.path.join(folder, "src"))
        for name in "tests", "apart", "examples", "made":
            os.symlink(os.path.join(top, name), os.path.join(folder, name))
        os.symlink(os.path.join(TOP, "build/paje"), os.path.join(folder, "build/paje"))
        with open(os.path.join(folder, "Makefile"), "w") as makefile:
            makefile.write("paje:\n")
        for header in "pajesim", "pajewrite":
            shutil.copy(os.path.join(top, header + ".h"), folder)

    def make(self, marks="0"):
        subprocess.check_call([os.path.join(self.folder, "src/amalgamate.sh"), self.header], env=dict(os.environ, LINE=marks))
        self.header_object = False

    def change(self, name, site):
        """Changes a source."""
        path = os.path.join(self.folder, name)
        with open(path) as source:
            lines = source.read().split("\n")
        number, begin, end, new = site
        lines[number] = lines[number][:begin] + new + lines[number][end:]
        with open(path, "w") as source:
            source.write("\n".join(lines))
        self.make()

    def restore(self, name):
        shutil.copy(os.path.join(self.top, name), os.path.join(self.folder, name))

    def whole(self, test, more=""):
        options = test.options or PLAIN
        return "gcc -w -std=%s %s%s%s tests/%s.c %s" % ("gnu99" if test.script else "c99", options, COMMON, more, test.name,
                                                        test.more_sources)

    def others(self):
        """What the tests of the writer are linked with: they read back what was written."""
        return "%s/pajesim.a -lm" % self.top if self.of == WRITER else "-lm"

    def build(self, number, test, whole=False):
        """The bytes of the program of a test, or None if it does not compile."""
        program = os.path.join(self.folder, "build", "test-%d" % number)
        if test.options or whole:
            if not compiled("%s -o %s %s" % (self.whole(test), program, self.others()), self.folder):
                return None
        else:
            if not self.header_object:
                self.header_object = compiled("gcc -w -std=c99 %s%s -DPAJESIM_IMPLEMENTATION -x c -c pajesim.h -o library.o" % (
                    PLAIN, COMMON), self.folder)
            if not self.header_object or not compiled("gcc -pthread apart/%s.o library.o -o %s -lm" % (test.name, program), self.folder):
                return None
        with open(program, "rb") as bytes_of:
            return bytes_of.read()

    def run(self, number, test, seconds=SECONDS):
        if test.name == "builds/instructions":
            return self.instructions("build/test-%d" % number)
        return run(test.script or "build/test-%d %s" % (number, test.arguments), self.folder, seconds)

    def instructions(self, program):
        counts = []
        for trace, mode in ("words", "strict"), ("odd", "callbacks"), ("integers", "lenient"):
            if run("valgrind --tool=callgrind --toggle-collect=measured_replay --callgrind-out-file=out %s %s "
                   "made/%s.trace" % (program, mode, trace), self.folder).output is None:
                return Result(None, 0)
            with open(os.path.join(self.folder, "out")) as out:
                counts += [int(line.split()[1]) for line in out if line.startswith("totals:")]
        return Result(counts, 0)


def snapshot(of, folder):
    """Copies the sources, as they may be edited meanwhile, and compiles the tests that are linked."""
    os.makedirs(os.path.join(folder, "made"))
    for name in "src", "tests", "examples":
        shutil.copytree(os.path.join(TOP, name), os.path.join(folder, name))
    for name in "LICENSE", "bench/generate.c":
        shutil.copy(os.path.join(TOP, name), folder)
    for header in "pajesim", "pajewrite":
        subprocess.check_call([folder + "/src/amalgamate.sh", header])
    if of == WRITER:
        subprocess.check_call("sed -i '/define PAJESIM_IMPLEMENTATION/d' tests/write/*.[ch] && gcc -w -O1 -I. "
                              "-DPAJESIM_IMPLEMENTATION -x c -c pajesim.h -o pajesim.o && ar rcs pajesim.a pajesim.o", shell=True, cwd=folder)
    else:
        os.makedirs(os.path.join(folder, "apart/read"))
        for test in READER_TESTS:
            if not test.options:
                subprocess.check_call("sed '/define PAJESIM_IMPLEMENTATION/d' tests/%s.c | gcc -w -std=c99 %s%s -x c -c - -o apart/%s.o" % (
                    test.name, PLAIN, COMMON, test.name), shell=True, cwd=folder)
        subprocess.check_call("gcc -O2 -I. generate.c -o generate", shell=True, cwd=folder)
        for name, options in (("words", "-b 200000 -c 100"), ("odd", "-b 200000 -c 50 -a long -q -t -n 20 -u 2 -e 3"),
                              ("integers", "-b 200000 -c 50 -r -a integers"), ("many", "-b 400000 -c 10000")):
            subprocess.check_call("./generate %s >made/%s.trace" % (options, name), shell=True, cwd=folder)


def tests_of(of):
    return READER_TESTS if of == READER else WRITER_TESTS


class Header:
    """Tries the mutants of a header, in workshops of its own."""

    def __init__(self, of, folder, jobs):
        self.of, self.tests = of, tests_of(of)
        self.folder, self.top = folder, os.path.join(folder, "top")
        snapshot(of, self.top)
        self.covered = None
        self.coverage = [Coverage(self.top, self.key(test), lambda: self.measure(test)) for test in self.tests]
        self.declared = self.declared_lines()
        self.workshops = queue.Queue()
        for number in range(jobs):
            self.workshops.put(Workshop(os.path.join(folder, str(number)), self.top, of))
        self.originals, self.lock = {}, threading.Lock()
        self.kills = collections.Counter()
        self.switches, self.good = None, {}
        self.turns = collections.defaultdict(threading.Lock)

    def choose(self, chosen):
        """Compiles mutants that can be chosen from."""
        shop = Workshop(os.path.join(self.folder, "switched"), self.top, self.of)
        self.switches, self.shop = Switches(shop.folder, self.top, chosen), shop
        for options in CHECKED[self.of]:
            self.switches.compiles("gcc -w -std=gnu99 -include choose.h %s -D%s_IMPLEMENTATION -fsyntax-only -x c %s.h" % (
                options, shop.header.upper(), shop.header), lambda: shop.make("1"))

    def run_switched(self, index, number, seconds):
        """Runs a test with a mutant, 0: the original."""
        test, shop = self.tests[index], self.shop
        program = "build/switched-%d" % index
        environment = dict(os.environ, PAJE_MUTANT=str(number), CC="%s/cc -include %s/choose.h" % (shop.folder, shop.folder))
        with self.turns[test.name]:  # as both would write the same files
            if not test.script and not os.path.exists(os.path.join(shop.folder, program)):
                subprocess.check_call("%s -o %s %s" % (shop.whole(test, " -include choose.h"), program, shop.others()), shell=True,
                                      cwd=shop.folder)
            return run(test.script or "%s %s" % (program, test.arguments), shop.folder, seconds, environment)

    def good_output(self, index):
        """What a test prints without any mutant, None if it fails."""
        with self.lock:
            if index not in self.good:
                self.good[index] = self.run_switched(index, 0, 3 * SECONDS).output
                if self.good[index] is None:
                    print("# %s fails without any mutant, and is left out" % self.tests[index].name, file=sys.stderr, flush=True)
            return self.good[index]

    def judge_switched(self, number, numbers):
        for index in sorted(numbers, key=lambda n: self.coverage[n].seconds / (1 + self.kills[n])):
            test = self.tests[index]
            if test.name == "builds/instructions" or self.good.get(index, b"") is None:
                continue
            result = self.run_switched(index, number, min(SECONDS, 2 + 5 * self.coverage[index].seconds)).output
            if result is not None and not test.compared:
                continue
            good = self.good_output(index)
            if good is not None and result != good:
                self.kills[index] += 1
                return "killed by " + test.name
        return "SURVIVED"

    @staticmethod
    def key(test):
        folder = os.path.join(TOP, "tests", os.path.dirname(test.name))
        headers = [os.path.join(folder, name) for name in included(folder, test.name.split("/")[1] + ".c")]
        sources = [os.path.join(TOP, path) for path in re.findall(r"tests/[\w/]+\.(?:c|sh)", test.more_sources + " " + test.script)]
        return test.name.replace("/", "-") + "-" + hash_of(headers + sources + [os.path.join(TOP, "tests", test.name + ".c")], re.sub("-O[01]", "", str(test)))

    def measure(self, test):
        if not self.covered:
            self.covered = Workshop(os.path.join(self.folder, "covered"), self.top, self.of)
            self.covered.make("1")
        shop = self.covered
        print("# measuring which lines %s executes" % test.name, file=sys.stderr, flush=True)
        folder = os.path.join(shop.folder, "covered-" + self.key(test))
        os.mkdir(folder)
        how = test._replace(options=(test.options or PLAIN).replace(SANITIZED, "").replace("-O1", "-O0"))
        left = preprocessed_lines(shop.whole(how, " -E"), shop.folder)
        if test.script:
            seconds = run(test.script, shop.folder, 60, dict(os.environ, CC="gcc --coverage -D_exit=exit")).seconds
            lines = executed_lines(os.path.join(shop.folder, "build/tests"))
        else:
            subprocess.check_call(shop.whole(how, " --coverage -D_exit=exit") + " -o %s/test %s" % (folder, shop.others()),
                                  shell=True, cwd=shop.folder)
            seconds = run("%s/test %s" % (folder, test.arguments), shop.folder, 60).seconds
            lines = executed_lines(folder)
        return seconds + (2 if test.options else 0), lines, self.texts(left)

    def texts(self, places):
        """Lines, given as file:number, as they are kept."""
        by_path = collections.defaultdict(list)
        for place in places:
            by_path[place.rpartition(":")[0]].append(int(place.rpartition(":")[2]))
        kept = []
        for path, numbers in by_path.items():
            lines = list(Coverage.numbered(self.top, path))
            kept += ["%s:%s" % (path, lines[number - 1]) for number in numbers if number <= len(lines)]
        return sorted(kept)

    def declared_lines(self):
        """What is in the header before its implementation: it is compiled with each test."""
        self.original = Workshop(os.path.join(self.folder, "original"), self.top, self.of)
        self.original.make("1")
        lines = preprocessed_lines("gcc -E -w -std=gnu99 -DPAJEWRITE_ZONES=1 -x c %s.h" % self.original.header, self.original.folder)
        self.original.make()
        return lines

    def sites(self, name):
        """Those in lines that are compiled on this machine."""
        lines = list(Coverage.numbered(self.top, name))
        return [site for site in sites(os.path.join(self.top, name))
                if any("%s:%s" % (name, lines[site[0]]) in test.left for test in self.coverage)]

    def known_good(self, number, test, whole):
        """The program of the original, and what it printed."""
        with self.lock:
            if (number, whole) not in self.originals:
                program = self.original.build(number, test, whole)
                self.originals[number, whole] = program, self.original.run(number, test, 3 * SECONDS)
                if self.originals[number, whole][1].output is None:
                    print("# %s fails without any mutant, and is left out" % test.name, file=sys.stderr, flush=True)
            return self.originals[number, whole]

    def judge(self, name, site):
        place = "%s:%d" % (name, site[0] + 1)
        numbers = [number for number, test in enumerate(self.coverage) if test.executes(name, site[0] + 1)]
        if not numbers:
            return "SURVIVED, no test executes it"
        if (name, site) in self.switches.numbers:
            return self.judge_switched(self.switches.numbers[name, site][0], numbers)
        shop = self.workshops.get()
        try:
            shop.change(name, site)
            return self.judge_alone(shop, place, numbers)
        finally:
            shop.restore(name)
            self.workshops.put(shop)

    def judge_alone(self, shop, place, numbers):
        alike = True
        for number in sorted(numbers, key=lambda n: self.coverage[n].seconds / (1 + self.kills[n])):
            test = self.tests[number]
            whole = place in self.declared
            program, good = self.known_good(number, test, whole)
            if good.output is None:
                continue
            mine = shop.build(number, test, whole)
            if mine is None:
                return "invalid"
            if mine == program:
                continue
            alike = False
            result = shop.run(number, test, min(SECONDS, 2 + 5 * good.seconds) if not test.script else 2 * SECONDS)
            if test.name == "builds/instructions" and result.output:
                bad = any(not 0.97 < count / recorded < 1.03 for count, recorded in zip(result.output, good.output))
            else:
                bad = result.output is None or test.compared and result.output != good.output
            if bad:
                self.kills[number] += 1
                return "killed by " + test.name
        return "the same" if alike else "SURVIVED"


# ---- the tool


class Toolshop:
    """A copy of the whole tree with what was compiled, in which scripts are run."""

    change, restore = Workshop.change, Workshop.restore

    def __init__(self, folder, top, *_):
        self.folder, self.top = folder, top
        shutil.copytree(top, folder, symlinks=True)

    def make(self):
        self.made = compiled("make -s paje", self.folder)

    def program(self):
        """The code of the tool, without what differs from one folder to another."""
        return subprocess.check_output("strip -o stripped build/paje && cat stripped", shell=True, cwd=self.folder)

    def run(self, script, seconds):
        return run("bash tests/tool/%s.sh" % script, self.folder, seconds)


class Tool:
    def __init__(self, of, folder, jobs):
        self.top = os.path.join(folder, "top")
        shutil.copytree(TOP, self.top, symlinks=True, ignore=lambda where, names: [name for name in names if name in (
            ".git", "fuzz", "test-output", "mutants") or where.endswith("build") and name in ("tests", "bench", "m")])
        self.scripts = sorted(name[:-3] for name in os.listdir(os.path.join(TOP, "tests/tool"))
                              if name.endswith(".sh") and not name.startswith("lib") and name[:-3] not in SLOW)
        self.folder = folder
        self.covered = None
        self.coverage = [Coverage(self.top, self.key(script), lambda: self.measure(script)) for script in self.scripts]
        if self.covered:
            shutil.rmtree(self.covered.folder)
        self.workshops = queue.Queue()
        for number in range(jobs):
            self.workshops.put(Toolshop(os.path.join(folder, str(number)), self.top))
        self.original = Toolshop(os.path.join(folder, "original"), self.top)
        self.original.make()
        self.code, self.good, self.lock = self.original.program(), {}, threading.Lock()
        self.turns = collections.defaultdict(threading.Lock)
        self.kills = collections.Counter()

    def choose(self, chosen):
        self.shop = Toolshop(os.path.join(self.folder, "switched"), self.top)
        self.switches, self.environment = self.switch(self.shop, chosen)

    def switch(self, shop, chosen, options=""):
        """Compiles the tool with switches."""
        switches = Switches(shop.folder, self.top, chosen)
        environment = dict(os.environ, CC="gcc%s -include %s/choose.h" % (options, shop.folder), CFLAGS="-O1 -w")
        for name in sorted({name for name, _ in switches.numbers if name.endswith(".c")}):
            switches.compiles("gcc -w -std=c99 -include choose.h -I. -Iexamples -Iexamples/paje -Ibuild/paje.d -fsyntax-only " + name)
        objects = " ".join(part.replace("examples", "build/paje.d") for part in SHARED)
        subprocess.check_call("rm -rf build/paje %s && make -s paje" % objects, shell=True, cwd=shop.folder, env=environment)
        return switches, environment

    def run_switched(self, script, number, seconds):
        with self.turns[script]:  # as both would write the same files
            return run("bash tests/tool/%s.sh" % script, self.shop.folder, seconds, dict(self.environment, PAJE_MUTANT=str(number)))

    def is_good(self, way, script, run_original):
        """Whether a script passes without any mutant; only those that kill are asked."""
        with self.lock:
            if (way, script) not in self.good:
                self.good[way, script] = run_original().output is not None
                if not self.good[way, script]:
                    print("# tool/%s fails without any mutant, and is left out" % script, file=sys.stderr, flush=True)
            return self.good[way, script]

    def killer(self, way, numbers, run_mutant, run_original):
        """Runs scripts until one fails; the quick ones and those that killed others first."""
        for index in sorted(numbers, key=lambda n: self.coverage[n].seconds / (1 + self.kills[n])):
            script = self.scripts[index]
            if self.good.get((way, script), True) and run_mutant(script, 5 + 5 * self.coverage[index].seconds).output is None and (
                    self.is_good(way, script, lambda: run_original(script, 60))):
                self.kills[index] += 1
                return "killed by tool/" + script
        return "SURVIVED"

    def judge_switched(self, number, numbers):
        return self.killer("switched", numbers, lambda script, seconds: self.run_switched(script, number, seconds),
                           lambda script, seconds: self.run_switched(script, 0, seconds))

    @staticmethod
    def key(script):
        return "tool-%s-%s" % (script, hash_of([os.path.join(TOP, "tests/tool", name) for name in (script + ".sh", "lib.sh")]))

    def measure(self, script):
        """Which lines a script executes, by switches that change nothing."""
        if not self.covered:
            self.covered = Toolshop(os.path.join(self.folder, "covered"), self.top)
            self.marked, self.environment = self.switch(self.covered, [
                (name, mark) for part in SHARED for name in parts(part) for mark in marks(os.path.join(self.top, name))], " -DPAJE_MARKED")
        print("# measuring which lines tool/%s executes" % script, file=sys.stderr, flush=True)
        path = os.path.join(self.folder, "marks")
        with open(path, "wb") as file:
            file.truncate(MARKS)
        seconds = run("bash tests/tool/%s.sh" % script, self.covered.folder, 120, dict(self.environment, PAJE_MARKS=path), True).seconds
        with open(path, "rb") as file:
            marked = file.read()
        lines = collections.defaultdict(dict)
        for (name, site), (number, *_) in self.marked.numbers.items():
            lines[name][str(site[0] + 1)] = marked[number] > 0
        return seconds, lines, []

    def sites(self, name):
        return sites(os.path.join(self.top, name))

    def judge(self, name, site):
        numbers = [number for number, script in enumerate(self.coverage) if script.executes(name, site[0] + 1)]
        if not numbers:
            return "SURVIVED, no test executes it"
        if (name, site) in self.switches.numbers:
            return self.judge_switched(self.switches.numbers[name, site][0], numbers)
        shop = self.workshops.get()
        try:
            shop.change(name, site)
            return self.judge_alone(shop, numbers)
        finally:
            shop.restore(name)  # not before, as the scripts call make
            self.workshops.put(shop)

    def judge_alone(self, shop, numbers):
        if not shop.made:
            return "invalid"
        if shop.program() == self.code:
            return "the same"
        return self.killer("alone", numbers, shop.run, self.original.run)


# ---- all


def parts(folder):
    return sorted(os.path.relpath(os.path.join(where, name), TOP) for where, _, names in os.walk(os.path.join(TOP, folder))
                  for name in names if name.endswith(".h") or (name.endswith(".c") and folder in SHARED))


def known():
    """Survivors that were looked at: file, line, mutated line or *."""
    with open(EQUIVALENT) as table:
        return {tuple(line.split("\t")[:3]) for line in table if line.count("\t") == 3}


def without_comments(line):
    return re.sub(r"\s*/\*.*?\*/", "", line).strip()


def try_one(judge, name, site, equivalent):
    with open(os.path.join(judge.top, name)) as source:
        old = source.read().split("\n")[site[0]]
    new = old[:site[1]] + site[3] + old[site[2]:]
    if {(name, without_comments(old), without_comments(new)), (name, without_comments(old), "*")} & equivalent:
        verdict = "explained"
    else:
        verdict = judge.judge(name, site)
    return verdict, name, "%s\t%s:%d\t%s\t->\t%s" % (verdict, name, site[0] + 1, old.strip(), new.strip())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("-s", type=int, default=2026)
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("-o")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    table = open(options.o, "w") if options.o else sys.stdout
    equivalent = known()
    failed = False
    subprocess.check_call(["make", "-s", "paje"], cwd=TOP)
    for of, folders in (READER, [READER]), (WRITER, [WRITER]), (TOOL, SHARED):
        names = [name for folder in folders for name in parts(folder)]
        of_lines = {(path, int(line) - 1) for path, _, line in (one.partition(":") for one in options.files) if line}
        of_files = tuple(one.partition(":")[0] for one in options.files)
        names = [name for name in names if name not in LEFT_OUT and (not of_files or name.startswith(of_files))]
        if not names:
            continue
        counts = collections.Counter()  # of folders, and of all
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            judge = (Tool if of == TOOL else Header)(of, folder, options.j)
            chosen = [(name, site) for name in names for site in judge.sites(name) if not of_lines or (name, site[0]) in of_lines]
            random.Random(options.s).shuffle(chosen)
            del chosen[3 * options.n:]
            judge.choose(chosen)
            running = []  # in order, some of them waiting for a workshop
            while (chosen or running) and counts["", "killed"] + counts["", "SURVIVED"] < options.n:
                while chosen and len(running) < 2 * options.j:
                    running.append(pool.submit(try_one, judge, *chosen.pop(0), equivalent))
                verdict, name, line = running.pop(0).result()
                kind = verdict if verdict in ("explained", "invalid", "the same") else re.match(r"\w+", verdict).group()
                for where in "", os.path.dirname(name):
                    counts[where, kind] += 1
                print(line, file=table, flush=True)
            for future in running:
                future.cancel()
        for where in sorted({where for where, _ in counts if where}):
            print("%-28s %3d killed, %2d survived, %2d equivalent" % (where, counts[where, "killed"], counts[where, "SURVIVED"],
                                                                     counts[where, "explained"]))
        killed, survived = counts["", "killed"], counts["", "SURVIVED"]
        share = 100.0 * killed / (killed + survived) if killed + survived else 0
        print("%s mutants of %s: %d of %d killed, %.1f of 100; not counted: %d explained in mutants.equivalent, %d with the "
              "same code, %d that do not compile" % ("PASS" if share >= LEAST else "FAIL", of, killed, killed + survived, share,
                                                     counts["", "explained"], counts["", "the same"], counts["", "invalid"]),
              flush=True)
        failed |= share < LEAST
    return failed


sys.exit(main())
