"""Damages traces of Paraver and what otf2-print prints in many ways: `lib-import.py PAJE FOLDER [TIMES]`.  `paje import`
ends with exit status 0 or 1, or 3 where no time can be known, with messages for what it refuses, and what it writes is a trace without errors in lenient
mode, except for messages that have one end.  Prints a line for each kind of input."""
import os
import random
import re
import subprocess
import sys

paje, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
times = int(sys.argv[3]) if len(sys.argv) > 3 and sys.argv[3] else 25
os.makedirs(folder + "/bin", exist_ok=True)
GOLDEN = "tests/traces/paraver/"
PIECES = [b":", b"\n", b"0", b"-1", b"9223372036854775807", b"99999999999999999999", b"\0", b"\xff", b"(", b")", b",",
          b"_ns", b"VALUES\n", b"EVENT_TYPE\n", b"PRECISION 18\n", b"LEVEL THREAD SIZE 999999999\n", b"<", b">", b'"',
          b"{", b"3:1:1:1:1:5:5:1:1:1:1:5:5:1:1\n", b"<18446744073709551615>", b" "]
NO_RATE = b": the archive tells no clock rate "  # without which no time means anything, so nothing is written


def damage(rng, text):
    text = bytearray(text)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at, how = rng.randrange(len(text) + 1), rng.randrange(4)
        if how == 0 and text:
            text[at % len(text)] = rng.randrange(256)
        elif how == 1:
            text[at:at] = rng.choice(PIECES)
        elif how == 2:
            del text[at:at + rng.choice((1, 3, 30))]
        else:
            size = rng.choice((1, 10, 60))
            text[at:at] = text[max(0, at - size):at]
    return bytes(text)


def judge(command, env=None):
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, timeout=60)
    if run.returncode == 3 and NO_RATE in run.stderr and not run.stdout:
        return ""
    if run.returncode not in (0, 1) or (run.returncode == 1) != (b": error: " in run.stderr):
        return "exit status %d: %s" % (run.returncode, run.stderr[:200])
    if not run.stdout:
        return ""
    valid = subprocess.run([paje, "null", "-z"], input=run.stdout, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    return "" if valid.returncode == 0 else "what is written is no trace: %s" % valid.stderr[:200]


def main():
    failed = 0
    whole = {name: open(GOLDEN + name, "rb").read() for name in ("ring.prv", "ring.pcf", "ring.row", "otf2-print.txt")}
    environment = dict(os.environ, PATH=os.path.abspath(folder) + "/bin:" + os.environ["PATH"])
    with open(folder + "/bin/otf2-print", "w") as file:
        file.write("#!/bin/sh\nexec cat '%s/text'\n" % os.path.abspath(folder))
    os.chmod(folder + "/bin/otf2-print", 0o755)
    with open(folder + "/a.otf2", "wb") as file:
        file.write(b"\3BOTF2")
    for name, content in whole.items():
        why, rng = "", random.Random(name)
        for attempt in range(times):
            for other in ("ring.prv", "ring.pcf", "ring.row"):
                with open("%s/%s" % (folder, other), "wb") as file:
                    file.write(damage(rng, content) if other == name else whole[other])
            with open(folder + "/text", "wb") as file:
                file.write(damage(rng, content))
            is_otf2 = name.startswith("otf2")
            why = judge([paje, "import", "--cpus", folder + ("/a.otf2" if is_otf2 else "/ring.prv")], environment)
            if why:
                break
        print("%s tool import: %s, damaged%s" % ("FAIL" if why else "PASS", name,
                                                 ": attempt %d: %s" % (attempt, why) if why else ""))
        failed |= bool(why)
    return failed


sys.exit(main())
