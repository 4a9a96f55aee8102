"""Progress on a terminal, with a clock that runs fast: `lib-progress.py PAJE FAST.SO TRACE FOLDER`."""
import os
import pty
import re
import subprocess
import sys

from cases import case
import cases

paje, fast, trace, folder = sys.argv[1:]
with open(trace, "rb") as file:
    whole = file.read()
WIPE = b"\r\x1b[K"
LINE = re.compile(rb"((?:[a-z]+: )?)(?: *([0-9]+) %  )?([0-9]+) MB  [0-9]+ MB/s(?:  [0-9]+ (?:s|min) left)?")


def on_terminal(arguments, stdout=subprocess.DEVNULL, stdin=b""):
    """What the command prints on standard error, which is a terminal; None as `stdout`: on it as well."""
    master, slave = pty.openpty()
    process = subprocess.Popen([paje] + arguments, stdin=subprocess.PIPE if stdin else subprocess.DEVNULL, stderr=slave,
                               stdout=slave if stdout is None else stdout, env={**os.environ, "LD_PRELOAD": fast})
    os.close(slave)
    if stdin:
        process.stdin.write(stdin)
        process.stdin.close()
    if process.stdout:
        process.stdout.read()
    output = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # no process writes any more
            break
        if not piece:
            break
        output += piece
    os.close(master)
    assert process.wait() == 0, (process.returncode, output[-200:])
    return output.replace(b"\r\n", b"\n")


def shown(output):
    """The progress that was shown, each wiped out before anything else came: what, share, megabytes."""
    found, at = [], 0
    for match in re.finditer(rb"MB/s", output):
        start = output.rfind(WIPE, 0, match.start())
        start = max(start + len(WIPE) if start >= 0 else 0, output.rfind(b"\n", 0, match.start()) + 1)
        line = LINE.match(output, start)
        assert line and start >= at, output[start:start + 80]
        at = line.end()
        assert output.startswith(WIPE, at), ("it is not wiped out", output[start:at + 40])
        found.append((line[1], line[2] and int(line[2]), int(line[3])))
    return found


def check_shares(found, files=1):
    """Shares and sizes grow, from the beginning of each file."""
    assert found, "no progress"
    for (what, share, size), (next_what, next_share, next_size) in zip(found, found[1:]):
        files -= what == next_what and not (share <= next_share and size <= next_size)
        assert files > 0 and next_share <= 100, (share, next_share)


lines = subprocess.run([paje, "--commands"], stdout=subprocess.PIPE).stdout.decode().splitlines()
tried = set()
for line in lines:
    words = line.split()
    if "FILE" not in words or words[0] in tried or words[0] in ("trace", "view", "web"):  # web copies the trace
        continue
    tried.add(words[0])

    @case(line)
    def _():
        subprocess.run(["rm", "-rf", folder + "/out"])
        out, file = folder + "/out", trace
        if words[0] == "import":  # a trace of Pajé is copied at once
            subprocess.run([paje, "paraver", "-o", folder + "/import", trace], check=True, stderr=subprocess.DEVNULL)
            file = folder + "/import.prv"
        check_shares(shown(on_terminal([{"FILE": file, "OUT": out}.get(word, word) for word in words])),
                     2 if words[0] in ("equals", "diff") else 1)


@case("all commands were tried")
def _():
    assert {"dump", "merge", "index", "equals", "sql", "html", "at", "validate", "perfetto"} <= tried, tried


@case("merge: what it is at")
def _():
    found = shown(on_terminal(["merge", "--apart", "-o", folder + "/merged", trace, trace]))
    check_shares(found)
    assert {what for what, *_ in found} | {b"sorting: "} == {b"sorting: ", b"reading: ", b"writing: "}, found


@case("null -j 2: as each chunk is taken")
def _():
    found = shown(on_terminal(["null", "-j", "2", trace]))
    check_shares(found)
    assert found[0][1] < 50, found


for title, prepare in ("without an index", []), ("with an index", ["index", "--events=5000", trace]):
    if prepare:
        subprocess.run([paje] + prepare, check=True, stdout=subprocess.DEVNULL)

    for command in "dump", "profile":
        @case(command + " -j 2, " + title)
        def _():
            found = shown(on_terminal([command, "-j", "2", trace]))
            check_shares(found)  # how far depends on which process is how fast


@case("a part of the trace, with an index")
def _():
    found = shown(on_terminal(["dump", "-s", "1", trace]))
    check_shares(found)
    assert found[-1][2] < len(whole) / 1e6, found


@case("a pipe: no share")
def _():
    found = shown(on_terminal(["dump"], stdin=whole))
    assert found and all(share is None for _, share, _ in found), found[:3]


@case("not while output comes to a terminal, but before")
def _():
    assert b"MB/s" not in on_terminal(["dump", trace], stdout=None)[100000:]
    assert b"MB/s" not in on_terminal(["dump", "-j", "2", trace], stdout=None)
    assert shown(on_terminal(["profile", trace], stdout=None))


@case("not if standard output is a pipe")
def _():
    assert b"MB/s" not in on_terminal(["dump", trace], stdout=subprocess.PIPE)


@case("not in view")
def _():
    assert b"MB/s" not in on_terminal(["view", "--once", "--size=80x20", trace])


@case("messages")
def _():
    with open(folder + "/wrong.trace", "wb") as file:
        file.write(whole[:len(whole) // 2].rsplit(b"\n", 1)[0] + b"\nnonsense\n" + whole[len(whole) // 2:].split(b"\n", 1)[1])
    for options in [], ["-j", "2"]:
        master, slave = pty.openpty()
        process = subprocess.Popen([paje, "dump", *options, folder + "/wrong.trace"], stderr=slave,
                                   stdout=subprocess.DEVNULL, env={**os.environ, "LD_PRELOAD": fast})
        os.close(slave)
        output = b""
        try:
            while piece := os.read(master, 65536):
                output += piece
        except OSError:
            pass
        os.close(master)
        process.wait()
        assert shown(output.replace(b"\r\n", b"\n")) and b"nonsense" in output, output[:300]
        assert WIPE + folder.encode() + b"/wrong.trace:" in output, output[:300]


sys.exit(cases.failed)
