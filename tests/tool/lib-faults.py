#!/usr/bin/env python3
"""Injects faults into every command of the tool: each call of the system that it makes fails once, at every place where
there is one; of reading, writing, closing and allocating all calls from there on fail, too.

usage: lib-faults.py PAJE SHIM FOLDER TRACE [COMMAND...]     SHIM: faults.c as a library; COMMAND: only these

Each run must end in one of two ways: it does all of its work, as if nothing had happened; or its exit status is 3, a
line on standard error says what failed and why, and no file is there that was not there before, unless it is whole.
Prints a line for each command and call.  A sample of the places is tried; all of them if FULL is set.
"""
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys

paje, shim, folder, trace = (os.path.abspath(path) for path in sys.argv[1:5])
only = sys.argv[5:]
FULL = bool(os.environ.get("FULL"))
MOST = 20 if FULL else 4  # places that are tried for each command line and call
SECONDS = 20
VARYING = rb"(?m)^(seconds|MB/s).*\n|-?[0-9.]+ s, -?[0-9.]+ MB/s|made anew; "  # of what is printed
DATE = 1700000000  # of all files, as indexes have that of their traces

# Calls that can fail, and how.
ERRORS = {"read": 5, "write": 28, "close": 28, "open": 24, "malloc": 12, "calloc": 12, "realloc": 12,
          "posix_memalign": 12, "mmap": 12, "munmap": 22, "rename": 13, "fork": 11, "pipe": 24, "dup": 24, "dup2": 16, "fcntl": 9,
          "fstat": 5, "stat": 13, "lseek": 5, "pread": 5, "pwrite": 28, "writev": 28, "ftruncate": 28, "fsync": 5,
          "unlink": 13, "mkdir": 13, "mkstemp": 13, "waitpid": 10, "poll": 12, "madvise": 22,
          "sigaction": 22, "getrlimit": 22, "setrlimit": 22, "ioctl": 25, "tcgetattr": 25, "tcsetattr": 5,
          "realpath": 13, "clock_gettime": 22, "access": 13, "fchmod": 1, "rmdir": 13,
          "posix_spawnp": 2, "posix_spawn_file_actions_init": 12, "posix_spawn_file_actions_adddup2": 12}
# Those that cannot, or of which the result is not looked at, as nothing depends on it.
HARMLESS = set("""__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __cxa_atexit __cxa_finalize __errno_location
    __gmon_start__ fchown fremovexattr fsetxattr getxattr __isoc99_sscanf __libc_start_main __sysv_signal __stack_chk_fail signal _exit exit free getenv
    mallopt getopt_long getpid getuid geteuid kill raise isatty nl_langinfo setlocale strerror qsort
    sigaddset sigemptyset sigfillset sigismember sigpending sigprocmask sigwait pthread_setcancelstate pthread_setcanceltype pthread_sigmask __libc_current_sigrtmax
    cos fma fmax fmin fmod frexp hypot ldexp sin sincos llround lround log10 gmtime_r strftime nextafter pow round sqrt fnmatch log
    memchr memcmp memcpy memmove memset snprintf vsnprintf strcasecmp strchr strcmp strcspn strlen strncmp strrchr strspn strstr
    strtod strtof strtol strncat environ nanosleep statvfs statvfs64 posix_spawn_file_actions_destroy posix_spawnattr_init posix_spawnattr_destroy
    posix_spawnattr_setflags posix_spawnattr_setsigdefault strtoul strtoull wcwidth
    _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable""".split())
# Those of `paje trace` only, which tests/trace/ tries.
HARMLESS |= set("""__register_atfork closedir dirfd execv execvp fclose ferror fgets fstatat fstatat64 fopen fopen64 fread getegid mkdtemp opendir
    posix_madvise clock_getres dlopen dlsym flock getppid link lstat lstat64 mremap ppoll pthread_once readdir readdir64 readlink send setenv setsid
    socketpair strnlen strpbrk syscall sysconf uname""".split())

# Command lines beyond those that the commands name, for calls that these do not reach: the folder, perhaps some calls
# only, and the words.
MORE = ["plain:posix_memalign,madvise null large.trace", "plain merge -o out -", "plain merge --apart -o out a.trace -",
        "plain merge unsorted.trace", "plain merge -j 2 --apart unsorted.trace unsorted.trace",
        "plain merge -o out including.trace", "plain validate including.trace",
        "plain csv -d . a.trace", "plain view a.trace", "indexed view a.trace", "indexed at a.trace 3",
        "indexed dump -j 3 -s 1 -e 9 a.trace", "plain import a.prv", "plain:mkstemp,unlink,pread,write paraver --memory 1K -o out a.trace"]

HOST = b"0 H 0 Host\n2 E H Alarm\n6 0 h H 0 host 1\n"
# What is not judged, command and call: a standard output of which the system says that it is closed is no terminal.
PENDING = {("view", "fcntl")}
# Calls that no command line here reaches yet; svg.sh has a converter that is missing, and one that fails.
UNREACHED = {"dup", "dup2", "ftruncate", "pwrite", "writev", "rmdir", "posix_spawnp", "posix_spawn_file_actions_init",
             "posix_spawn_file_actions_adddup2"}

failed = False
injected = 0


def say(verdict, name, why=""):
    global failed
    failed |= verdict == "FAIL"
    print("%s tool faults: %s%s" % (verdict, name, why and ": " + why), flush=True)


def called():
    """The calls that the tool makes; complains of those that are in neither list."""
    lines = subprocess.check_output(["nm", "-u", paje], text=True).splitlines()
    names = {re.sub("@.*", "", line.split()[-1]) for line in lines}
    names = {re.sub("64$", "", name) if name[:-2] in ERRORS else name for name in names}
    unknown = names - HARMLESS - set(ERRORS)
    say("FAIL" if unknown else "PASS", "every call of the tool is known",
        unknown and "add %s to the calls that can fail, or cannot, in lib-faults.py" % ", ".join(sorted(unknown)))
    return names & set(ERRORS)


class Place:
    """A folder in which commands run: before each it holds the same files."""

    def __init__(self, name, files):
        self.path = os.path.join(folder, name)
        self.files = files
        self.counts = self.path + ".counts"
        open(self.counts, "w").close()
        self.clean()

    def clean(self):
        shutil.rmtree(self.path, ignore_errors=True)
        os.mkdir(self.path)
        for name, content in self.files.items():
            path = os.path.join(self.path, name)
            with open(path, "wb") as file:
                file.write(content)
            os.utime(path, (DATE, DATE))

    def content(self):
        """All files by their names."""
        found = {}
        for where, _, names in os.walk(self.path):
            for name in names:
                path = os.path.join(where, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.path)] = file.read()
        return found

    def run(self, words, **faults):
        """Returns exit status (negative: a signal), output, messages, and the files that are there."""
        environment = dict(os.environ, LC_ALL="C", LD_PRELOAD=shim, FAULT_COUNTS=self.counts, TMPDIR=self.path)
        environment.update({"FAULT_" + name.upper(): str(value) for name, value in faults.items()})
        output, messages = self.path + ".out", self.path + ".err"
        create = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.truncate(self.counts, 0)
        os.chdir(self.path)
        terminal = None
        actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                   (os.POSIX_SPAWN_OPEN, 1, output, create, 0o666)]
        if words[0] == "view" and "--once" not in words:
            terminal, other = os.openpty()
            actions = [(os.POSIX_SPAWN_OPEN, 0, os.ttyname(other), os.O_RDWR, 0), (os.POSIX_SPAWN_DUP2, 0, 1)]
            open(output, "w").close()
            os.write(terminal, b"jq")
        elif "-" in words:
            reading, writing = os.pipe()
            os.set_inheritable(reading, True)
            actions[0] = (os.POSIX_SPAWN_DUP2, reading, 0)
            os.write(writing, self.files["a.trace"])
            os.close(writing)
        actions.append((os.POSIX_SPAWN_OPEN, 2, messages, create, 0o666))
        child = os.posix_spawn(paje, ["paje"] + words, environment, file_actions=actions, setsid=terminal is not None)
        signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
        signal.alarm(SECONDS)
        if terminal is not None:
            os.close(other)
            look = os.WEXITED | os.WNOHANG | os.WNOWAIT
            while select.select([terminal], [], [], 0.2)[0] or os.waitid(os.P_PID, child, look) is None:
                try:
                    os.read(terminal, 65536)
                except OSError:  # the command has closed it
                    break
            os.close(terminal)
        elif "-" in words:
            os.close(reading)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        signal.alarm(0)
        with open(output, "rb") as out, open(messages, "rb") as err:
            printed = re.sub(VARYING, b"", out.read())
            result = status, printed, err.read().decode(errors="replace"), self.content()
        if result[3] != self.files:
            self.clean()
        return result

    def counted(self):
        with open(self.counts, "rb") as file:
            counts = struct.iter_unpack("28si", file.read())
            return {name.rstrip(b"\0").decode(): count for name, count in counts if count}


def judge(place, good, got, call):
    """Why this result is wrong; '' if it is right."""
    status, output, messages, files = got
    number = ERRORS[call]
    if call == "unlink":  # what cannot be removed stays
        files = {name: content for name, content in files.items() if not name.startswith("paje-merge-")}
    if status < 0:
        return "ended by signal %d" % -status
    if (status, output, files) == (good[0], good[1], good[3]):
        return ""
    first = messages.split("\n")[0]
    left_out = r"error: included file is left out: " + re.escape(os.strerror(number))
    if status == 1 and re.search(left_out, messages + output.decode()):
        return ""
    if status != 3:
        return "exit status %d, and another result: %s" % (status, first)
    reason = r"^paje: .+: %s|^paje: no memory for (.* )?\d+ bytes" % re.escape(os.strerror(number))
    if not re.search(reason, messages, re.M):
        return "does not say why: %r" % messages
    for name in files:
        if name not in place.files and files[name] != good[3].get(name):
            return "leaves %s (%s)" % (name, first)
    for name in place.files:
        if files.get(name) not in (place.files[name], good[3][name]):
            return "harms %s (%s)" % (name, first)
    return ""


def spread(count, most):
    """At most so many of 1 ... count: the first and the last, and some between."""
    if count <= most:
        return range(1, count + 1)
    return sorted({1 + i * (count - 1) // (most - 1) for i in range(most)})


def inject(place, command, words, calls, bad, tried):
    """Lets each call fail once, at each of some places; adds to `bad` what goes wrong, to `tried` how often."""
    global injected
    good = place.run(words)
    counts = place.counted()
    for name, count in sorted(counts.items()):
        call = re.sub("64$", "", name)
        if call not in calls or (command, call) in PENDING:
            continue
        for nth in spread(count, MOST):
            got = place.run(words, call=name, nth=nth, once=1, errno=ERRORS[call])
            injected += 1
            tried[command, call] = tried.get((command, call), 0) + 1
            why = judge(place, good, got, call)
            if why:
                bad.setdefault((command, call), "call %d of %d of `%s` in %s: %s" % (
                    nth, count, " ".join(words), os.path.basename(place.path), why))


def exhaust(place, command, words):
    """From the first, second, third ... call on all fail, until there are no more: always one line that says why."""
    global injected
    for call, text in (("read", "Input/output error"), ("write", "No space left on device"),
                       ("close", "No space left on device"), ("realloc", r"no memory for \d+ bytes")):
        why, name = "", "%s: %s fails from some call on" % (command, call)
        for nth in [*range(1, 61), *range(61, 2000, 17)]:
            status, _, messages, _ = place.run(words, call=call, nth=nth, errno=ERRORS[call])
            if status == 0 and nth > 1:
                break
            injected += 1
            if status != 3 or not re.fullmatch(r"paje: .*%s.*\n" % text, messages):
                why = "call %d: exit status %d, %r" % (nth, status, messages)
                break
        say("FAIL" if why else "PASS", name, why)


def main():
    calls = called()
    lines = [line.split() for line in subprocess.check_output([paje, "--commands"], text=True).splitlines()]
    with open(trace, "rb") as file:
        whole = file.read()
    head = whole[:whole.rindex(b"%EndEventDef\n") + 13]
    ring = {"a" + end: open("tests/traces/paraver/ring" + end, "rb").read() for end in (".prv", ".pcf", ".row")}
    plain = Place("plain", {
        **ring, "a.trace": whole, "body": b"30 2 E h within x 1\n", "including.trace": head + HOST + b"50 h H body\n",
        "unsorted.trace": head + HOST + b"30 5 E h late x 1\n30 1 E h early x 1\n",
        "large.trace": head + HOST + b"".join(b"6 0 c%d H h container 1\n" % i for i in range(12000))})
    subprocess.check_call([paje, "index", "--events=5", "a.trace"], cwd=plain.path, stdout=subprocess.DEVNULL)
    places = {"plain": plain, "indexed": Place("indexed", plain.content())}
    plain.clean()
    names = {"FILE": "a.trace", "OUT": "out"}
    lines = [[place, command] + [names.get(word, word) for word in words]
             for command, *words in lines for place in places]
    lines += [line.split() for line in MORE]
    bad, tried, exhausted = {}, {}, set()
    for place, command, *words in lines:
        if command not in exhausted and (not only or command in only):
            exhausted.add(command)
            exhaust(places[place], command, [command] + words)
        if not only or command in only:
            place, _, some = place.partition(":")
            inject(places[place], command, [command] + words, set(some.split(",")) if some else calls, bad, tried)
    for command, call in sorted(tried):
        why = bad.get((command, call), "")
        say("FAIL" if why else "PASS", "%s: %s fails once" % (command, call), why)
    missed = calls - UNREACHED - {call for _, call in tried}
    if not only:
        say("FAIL" if missed else "PASS", "every call is reached", ", ".join(sorted(missed)))
    print("injected %d faults" % injected, file=sys.stderr)
    return failed


sys.exit(main())
