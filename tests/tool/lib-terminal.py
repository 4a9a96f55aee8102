"""Runs each trial of each command on a trace whose names, and whose own name, try to control the terminal:
`lib-terminal.py PAJE FOLDER`.  What arrives on a terminal holds nothing that could; what is printed for people, and
messages, do not even in a pipe.  Prints a line for each case."""
import os
import pty
import re
import subprocess
import sys

paje, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
os.makedirs(folder, exist_ok=True)

# C0 but the newline, DEL, C1 in UTF-8 and bare, overlong, half a character, new lines and directions of Unicode
CONTROLS = [bytes([byte]) for byte in range(1, 32) if byte != 10] + [b"\x7f"] + [b"\xc2" + bytes([c]) for c in range(0x80, 0xa0)] + \
    [bytes([byte]) for byte in range(0x80, 0xa0)] + [b"\xc0\x9b", b"\xe2\x9b", b"\xc2", b"\xff"] + \
    [chr(c).encode() for c in list(range(0x2028, 0x202f)) + list(range(0x2066, 0x206a))]
BAD = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")

# What is data, which other programs read, has the bytes of the trace when it does not go to a terminal.
DATA = re.compile("^(dump|csv|sql|merge|chrome|perfetto|html|web|svg|platform|import)|--format|--types|--containers")


def names():
    for i, control in enumerate(CONTROLS):
        yield i, b"<" + control + b"31m>"
    yield len(CONTROLS), b"".join(control for control in CONTROLS if control not in b"\r\t")


def trace():
    lines = [open("tests/tool/header.trace", "rb").read().rstrip(b"\n")]
    lines += [b"0 H 0 Host", b"6 0 p H 0 p 1"]
    for i, name in names():
        word = b'"' + name + b'"'
        for line in (b"0 H%d H %s", b"1 S%d H%d %s", b"2 E%d H%d %s", b"3 P%d H%d %s 1,0,0", b"4 L%d H H%d H%d %s"):
            lines.append(line % ((i,) * (line.count(b"%") - 1) + (word,)))
        lines += [b"5 v%d S%d %s 0,0,0" % (i, i, word), b"6 1 c%d H%d p %s 1" % (i, i, word),
                  b"11 1 S%d c%d v%d %s 1" % (i, i, i, word), b"11 2 S%d c%d %s a 1" % (i, i, word),
                  b"20 1 P%d c%d 1.5" % (i, i), b"30 1.3 E%d c%d %s %s 1" % (i, i, word, word),
                  b"40 1 L%d p c%d %s %s 1" % (i, i, word, word), b"41 1.5 L%d p c%d %s %s 1" % (i, i, word, word),
                  b"30 2 %s c%d a b 1" % (word, i), b"50 %s H absent" % word, b"50 p H %s" % word]
    return b"\n".join(lines) + b"\n"


def on_terminal(command):
    """What arrives on a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
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
    process.wait()
    return process.returncode, output.replace(b"\r\n", b"\n")


def in_pipe(command):
    process = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return process.returncode, process.stdout, process.stderr


failed = 0


def tell(case, status, *outputs):
    global failed
    # an arena of 64K, and files within files by several processes or with an index, are refused
    refused = status == 3 and re.search(b"see --arena|cannot be indexed", outputs[-1])
    wrong = "" if status in (0, 1) or refused else "exit status %d" % status
    for output in outputs:
        try:
            found = BAD.search(output.decode())
        except UnicodeDecodeError as error:
            wrong = wrong or "not UTF-8: %r" % output[max(0, error.start - 40):error.start + 10]
        else:
            wrong = wrong or (found and "%r" % output.decode()[max(0, found.start() - 40):found.start() + 10])
    print("FAIL tool terminal: %s: %s" % (case, wrong) if wrong else "PASS tool terminal: %s" % case)
    failed |= bool(wrong)


def main():
    file = os.path.join(os.fsencode(folder), b"\x1b[31m\xc2\x9b\x9b\xe2\x80\xae.trace")
    with open(file, "wb") as out:
        out.write(trace())
    try:
        os.close(pty.openpty()[0])
        has_terminal = True
    except OSError as error:
        print("SKIP tool terminal: on a terminal: there is no pseudo terminal (%s: mount /dev/pts)" % error)
        has_terminal = False
    trials = subprocess.run([paje, "--commands"], stdout=subprocess.PIPE).stdout.decode().splitlines()
    for trial in trials:
        command = [paje] + [{"FILE": file, "OUT": folder + "/out"}.get(word, word) for word in trial.split()]
        subprocess.run(["rm", "-rf", folder + "/out"])
        status, output, errors = in_pipe(command)
        tell("in a pipe: " + trial, status, *([errors] if DATA.search(trial) else [output, errors]))
        if has_terminal:
            subprocess.run(["rm", "-rf", folder + "/out"])
            status, output = on_terminal(command)
            tell("on a terminal: " + trial, status, output)
    status, output, errors = in_pipe([paje, "dump", file])
    if not all(b", " + name + b"\n" in output for _, name in names()):
        tell("in a pipe, dump keeps every byte", 99)
    if has_terminal:
        tell("on a terminal: merge -o /dev/stdout", *on_terminal([paje, "merge", "-o", "/dev/stdout", file]))
    sys.exit(failed)


main()
