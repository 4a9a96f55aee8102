#!/usr/bin/env python3
"""Mutants of the simulator: changes one operator, constant or statement of src/ at a time, and runs tests on it.  A mutant
that no test notices shows what they do not look at.

usage: tests/full/mutants.py [-n COUNT] [-s SEED] [-o TABLE] [FILE...]     FILE: of src/; all written by hand by default

Prints a line for each mutant, and how many were killed; fails if fewer than 95 of 100 were.  Mutants that do not compile,
or whose object code is that of the original, do not count.  Survivors that were looked at, and differ in nothing that
can be seen, stand in mutants.equivalent with the reason.
"""
import argparse
import os
import random
import re
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
CODE = "gcc -w -std=c99 -I{dir} "
# What a mutant is compiled into and what that is run on, the fast ones first.
TESTS = [
    ("-O1 {top}/tests/prose.c", "-l 1009 {prose}"),
    ("-O1 {top}/tests/callbacks.c", ""),
    ("-O1 {top}/tests/number.c", "1"),
    ("-O1 {top}/tests/memory.c", ""),
    ("-O1 {top}/tests/truncate.c", "-b 3000000 {top}/tests/traces/tour.trace {top}/tests/traces/dialects.trace "
                                   "{top}/tests/traces/stencil.trace"),
    ("-O1 -fsanitize=address,undefined -fno-sanitize-recover=all {top}/tests/prose.c", "-l 29 {prose}"),
]


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


def mutate(path, site):
    lines = open(path).read().split("\n")
    number, begin, end, new = site
    old = lines[number]
    lines[number] = old[:begin] + new + old[end:]
    open(path, "w").write("\n".join(lines))
    return old.strip(), lines[number].strip()


def limit():
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def fails(command, folder):
    """Whether a test fails: by its first FAIL, or by how it ends."""
    process = subprocess.Popen(command, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: (os.setsid(), limit()))
    bad = False
    for line in process.stdout:
        if line.startswith(b"FAIL"):
            bad = True
            break
    if bad:
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait() != 0 or bad


def object_code(folder):
    name = os.path.join(folder, "object")
    status = subprocess.call(CODE.format(dir=folder) + "-O1 -DPAJESIM_IMPLEMENTATION -include " + folder +
                             "/pajesim.h -c -x c /dev/null -o " + name, shell=True, stderr=subprocess.DEVNULL)
    return None if status else open(name, "rb").read()


def judge(folder, original):
    """What becomes of the mutant in folder/src."""
    subprocess.check_call([os.path.join(folder, "src/amalgamate.sh")])
    code = object_code(folder)
    if code is None:
        return "invalid"
    if code == original:
        return "the same"
    prose = " ".join(sorted(os.path.join(TOP, "tests/prose", name) for name in os.listdir(os.path.join(TOP, "tests/prose"))
                            if name.endswith(".md") and name != "README.md"))
    built = None
    for source, arguments in TESTS:
        if source != built and subprocess.call(CODE.format(dir=folder) + source.format(top=TOP) + " -o test", shell=True,
                                               cwd=folder, stderr=subprocess.DEVNULL):
            return "invalid"
        built = source
        if fails("./test " + arguments.format(top=TOP, prose=prose), folder):
            return "killed by " + os.path.basename(source.split()[-1])
    return "SURVIVED"


def known():
    """Survivors that were looked at: `file: mutated line`, without the reasons behind a tab."""
    if not os.path.exists(EQUIVALENT):
        return set()
    return {line.split("\t")[0].strip() for line in open(EQUIVALENT) if not line.startswith("#")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=300)
    parser.add_argument("-s", type=int, default=2026)
    parser.add_argument("-o")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    names = options.files or sorted(name for name in os.listdir(os.path.join(TOP, "src"))
                                    if name.endswith(".h") and name not in LEFT_OUT)
    chosen = [(name, site) for name in names for site in sites(os.path.join(TOP, "src", name))]
    random.Random(options.s).shuffle(chosen)
    equivalent = known()
    table = open(options.o, "w") if options.o else sys.stdout
    killed = counted = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(TOP, "LICENSE"), folder)
        shutil.copytree(os.path.join(TOP, "src"), os.path.join(folder, "src"))
        subprocess.check_call([os.path.join(folder, "src/amalgamate.sh")])
        original = object_code(folder)
        for name, site in chosen:
            if counted == options.n:
                break
            path = os.path.join(folder, "src", name)
            shutil.copy(os.path.join(TOP, "src", name), path)
            old, new = mutate(path, site)
            verdict = judge(folder, original)
            shutil.copy(os.path.join(TOP, "src", name), path)
            if verdict == "SURVIVED" and "%s: %s" % (name, new) in equivalent:
                verdict = "equivalent"
            if verdict.startswith("killed") or verdict == "SURVIVED":
                counted += 1
                killed += verdict != "SURVIVED"
            print("%s\t%s:%d\t%s\t->\t%s" % (verdict, name, site[0] + 1, old, new), file=table, flush=True)
    share = 100.0 * killed / counted if counted else 0
    print("%s mutants: %d of %d killed, %.1f of 100" %
          ("PASS" if share >= LEAST else "FAIL", killed, counted, share), flush=True)
    return share < LEAST


sys.exit(main())
