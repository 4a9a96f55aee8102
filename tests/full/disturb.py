#!/usr/bin/env python3
"""Disturbs the tool from outside while it works: signals at random moments, full disks, little memory, inputs that are
replaced, truncated or appended to, pipes, outputs that are the input by another name, hostile names of files.
usage: tests/full/disturb.py [-s SEED] [-n ROUNDS] [PAJE]     PAJE: best one with sanitizers, as for attack.py

Each round runs every trial line of `paje --commands` once.  Prints where a command ends by a signal that was not sent, is
silent, slow or found by a sanitizer, changes its input, leaves a file or a process behind, prints a control character of
a name, or says nothing of a full disk; nothing else is a pass.  The full disk is a small file system of its own, which only
root may mount: it is left out otherwise."""
import argparse
import hashlib
import os
import random
import resource
import shutil
import signal
import subprocess
import threading
import time

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
parser = argparse.ArgumentParser()
parser.add_argument("-s", type=int, default=1)
parser.add_argument("-n", type=int, default=3)
parser.add_argument("paje", nargs="?", default=os.path.join(TOP, "build/paje"))
arguments = parser.parse_args()
draw = random.Random(arguments.s)
paje = os.path.abspath(arguments.paje)
folder = os.path.abspath(os.path.join(TOP, "build/disturb"))
environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:exitcode=99", UBSAN_OPTIONS="halt_on_error=1:exitcode=98")
SENT = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL, signal.SIGALRM, signal.SIGUSR1]
LONG = 60
found = runs = 0


def report(line, how, what, text=b""):
    global found
    found += 1
    print("FAIL disturb, %s: %s: %s %s" % (how, " ".join(map(repr, line))[:160], what, text[-200:]), flush=True)


def make_trace(path, lines):
    """A trace of some kilobytes to some megabytes, with all kinds of events."""
    with open(os.path.join(TOP, "tests/tool/header.trace")) as head, open(path, "w") as out:
        out.write(head.read())
        out.write('0 H 0 Host\n0 P H Process\n1 S P State\n2 E P Event\n3 V P Var "1 0 0"\n4 L 0 P P Link\n'
                  '5 v1 S run "1 0 0"\n5 ev E bang "0 1 0"\n5 lv L msg "0 1 0"\n6 0 h1 H 0 host1 0\n6 0 p1 P h1 p1 0\n6 0 p2 P h1 p2 1\n')
        for i in range(lines):
            out.write("11 %d S p1 v1 m 3\n20 %d V p2 %d\n30 %d E p1 ev p 1\n40 %d L 0 p1 lv k%d 1\n41 %d L 0 p2 lv k%d t\n12 %d S p1 r\n"
                      % (i, i, i * 7 % 100, i, i, i, i, i, i))


def content(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def children_left(session):
    """Whether processes of a session are alive, after a second at most."""
    for _ in range(20):
        listed = subprocess.run(["ps", "-s", str(session), "-o", "stat="], stdout=subprocess.PIPE).stdout.split()
        if not [one for one in listed if not one.startswith(b"Z")]:
            return False
        time.sleep(0.05)
    return True


def run(line, how, where, disturb=None, out=None, limit=None, may_end_by=()):
    """Runs a command in a folder; returns its status and what it prints on standard error."""
    global runs
    runs += 1

    def prepare():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limit:
            resource.setrlimit(*limit)

    process = subprocess.Popen([paje] + line, cwd=where, stdin=subprocess.DEVNULL, stdout=out or subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=environment, preexec_fn=prepare)
    worker = threading.Thread(target=disturb, args=(process,)) if disturb else None
    if worker:
        worker.start()
    try:
        errors = process.communicate(timeout=LONG)[1]
    except subprocess.TimeoutExpired:
        report(line, how, "more than %d s" % LONG)
        os.killpg(process.pid, signal.SIGKILL)
        errors = process.communicate()[1]
    if worker:
        worker.join()
    status = process.returncode
    if status in (98, 99) or b"Sanitizer" in errors or b"runtime error" in errors:
        report(line, how, "a sanitizer", errors)
    elif status < 0 and -status not in may_end_by:
        report(line, how, "signal %d" % -status, errors)
    elif status > 0 and status != 141 and not errors and line[0] not in ("equals", "validate"):
        report(line, how, "status %d, and nothing is said" % status)
    if any(byte < 32 and byte not in (9, 10) or byte == 127 for byte in errors):
        report(line, how, "control characters on standard error", errors)
    if children_left(process.pid):
        report(line, how, "processes are left")
        os.killpg(process.pid, signal.SIGKILL)
    return status, errors


def fresh(name="t.trace", lines=300):
    where = os.path.join(folder, "at")
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    make_trace(os.path.join(where, name), lines)
    return where


def line_of(trial, name="t.trace"):
    return [{"FILE": name, "OUT": "out"}.get(word, word) for word in trial.split()]


def files_in(where):
    return sorted(os.path.join(base, name) for base, _, names in os.walk(where) for name in names)


def signals(trial):
    where, line, number = fresh(lines=3000), line_of(trial), draw.choice(SENT)
    before = content(where + "/t.trace")
    pause = draw.random() ** 3 * 0.4

    def send(process):
        time.sleep(pause)
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            pass

    status, _ = run(line, "signal %d" % number, where, send, may_end_by=(number,))
    if content(where + "/t.trace") != before:
        report(line, "signal %d" % number, "the input has changed")
    left = [name for name in files_in(where) if name != where + "/t.trace"]
    if status < 0 and number != signal.SIGKILL and line[0] not in ("csv", "sql", "paraver"):
        if left:
            report(line, "signal %d" % number, "is left: %s" % left)
    if status < 0 and number != signal.SIGKILL and [name for name in left if ".new" in name or ".part" in name or "paje-" in name]:
        report(line, "signal %d" % number, "is left: %s" % left)


def changed_input(trial):
    where, line, way = fresh(lines=2000), line_of(trial), draw.choice(["truncated", "appended to", "replaced", "removed"])
    path, pause = where + "/t.trace", draw.random() ** 3 * 0.1

    def change(process):
        time.sleep(pause)
        if way == "truncated":
            os.truncate(path, draw.randrange(os.path.getsize(path)))
        elif way == "appended to":
            with open(path, "a") as file:
                file.write("11 5000 S p1 v1 m 3\n" * draw.randrange(1, 5000))
        elif way == "replaced":
            make_trace(path + ".2", 10)
            os.rename(path + ".2", path)
        else:
            os.remove(path)

    run(line, way, where, change)


def little_memory(trial):
    where, line = fresh(lines=500), line_of(trial)
    if "asan" not in paje:
        run(line, "little memory", where, limit=(resource.RLIMIT_AS, (draw.randrange(6, 60) << 20,) * 2))


def few_files(trial):
    where, line, count = fresh(lines=500), line_of(trial), draw.randrange(3, 12)
    run(line, "%d files" % count, where, limit=(resource.RLIMIT_NOFILE, (count, count)))


def names(trial):
    name = draw.choice(["-t", "a\nb", "\x1b[31mred", "\x9b31m", "a b", "'q\"", "%s%n", "é", "t.trace.pajeidx", "x" * 255, "a\tb", "\xff"])
    where = fresh()
    os.rename(where + "/t.trace", os.path.join(where, name))
    before = content(os.path.join(where, name))
    line = line_of(trial, "./" + name)
    if draw.random() < 0.5:
        with open(os.path.join(where, name), "a") as file:
            file.write("what is this?\n")
        before = content(os.path.join(where, name))
    run(line, "name", where)
    if not os.path.exists(os.path.join(where, name)) or content(os.path.join(where, name)) != before:
        report(line, "name", "the input has changed")


def same_file(trial):
    """The output is the input, by some way."""
    where, line, way = fresh(), line_of(trial), draw.choice(["name", "symbolic link", "link", "folder"])
    if "out" not in line:
        return
    before = content(where + "/t.trace")
    if way == "name":
        line = ["t.trace" if word == "out" else word for word in line]
    elif way == "symbolic link":
        os.symlink("t.trace", where + "/out")
    elif way == "link":
        os.link(where + "/t.trace", where + "/out")
    else:
        line = ["sub/../t.trace" if word == "out" else word for word in line]
        os.mkdir(where + "/sub")
    run(line, "output by %s" % way, where)
    if content(where + "/t.trace") != before:
        report(line, "output by %s" % way, "the input has changed")


def pipes(trial):
    """The input is a named pipe whose writer stops somewhere, or is slow."""
    where, line = fresh(), line_of(trial, "fifo")
    os.mkfifo(where + "/fifo")
    with open(where + "/t.trace", "rb") as file:
        data = file.read()
    data = data[:draw.randrange(len(data))] if draw.random() < 0.7 else data

    def feed(process):
        deadline = time.time() + 5
        while time.time() < deadline and process.poll() is None:
            try:
                end = os.open(where + "/fifo", os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.01)
                continue
            os.set_blocking(end, True)
            try:
                os.write(end, data[:60000])
            except OSError:
                pass
            os.close(end)
            time.sleep(0.02)

    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    run(line, "named pipe", where, feed)


def written(where):
    return sum(os.path.getsize(path) for path in files_in(where) if not path.endswith("/filler"))


def full_disk(trial):
    where, line = os.path.join(folder, "disk"), line_of(trial, folder + "/big.trace")
    for name in os.listdir(where):
        path = os.path.join(where, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    with open(where + "/filler", "wb") as file:
        file.write(bytes(draw.randrange(0, 100) * 1000))
    with open(where + "/output", "wb") as out:
        status, _ = run(line, "full disk", where, out=out)
    if status == 0:
        enough = fresh(lines=1)
        os.remove(enough + "/t.trace")
        with open(enough + "/output", "wb") as out:
            run(line, "enough room", enough, out=out)
        if abs(written(where) - written(enough)) > 200:  # as some outputs tell times
            report(line, "full disk", "status 0, and %d bytes of %d" % (written(where), written(enough)))
    left = [name for name in files_in(where) if ".new" in name or ".part" in name or "paje-" in name]
    if left:
        report(line, "full disk", "is left: %s" % left)


shutil.rmtree(folder, ignore_errors=True) if not os.path.ismount(folder + "/disk") else None
os.makedirs(folder + "/disk", exist_ok=True)
ways = [signals, changed_input, little_memory, few_files, names, same_file, pipes]
mounted = subprocess.call(["mount", "-t", "tmpfs", "-o", "size=120k", "none", folder + "/disk"], stderr=subprocess.DEVNULL) == 0
if mounted:
    make_trace(folder + "/big.trace", 2000)
    ways.append(full_disk)
else:
    print("SKIP disturb, full disk: no file system can be mounted (run it as root)")
try:
    trials = subprocess.check_output([paje, "--commands"]).decode().splitlines()
    for _ in range(arguments.n):
        for way in ways:
            for trial in trials:
                way(trial)
finally:
    if mounted:
        subprocess.call(["umount", folder + "/disk"])
    shutil.rmtree(folder, ignore_errors=True)
print("%s disturb: %d runs, %d findings" % ("FAIL" if found else "PASS", runs, found))
raise SystemExit(found > 0)
