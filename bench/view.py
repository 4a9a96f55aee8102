"""How soon `paje view` shows its first screen, and reacts to keys: milliseconds of CPU time, and the bytes that it writes.
usage: view.py NAME TRACE [OPTION...]   prints lines `bench NAME/WHAT/MEASURE VALUE UNIT`

The first screen is there when something is written; keys are sent when the trace was read, and the
reaction begins with the next output and ends when it is quiet.  Keys move the cursor, turn pages and zoom."""
import fcntl
import os
import pty
import select
import statistics
import struct
import sys
import termios

ROWS, COLUMNS = 40, 120
KEYS = [b"j"] * 8 + [b"l"] * 8 + [b"\x1b[6~"] * 8 + [b"+"] * 4 + [b"-"] * 4


class Viewer:
    def __init__(self, arguments):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
            os.execv("build/paje", ["paje", "view"] + arguments)

    def used(self):
        """CPU time in milliseconds."""
        with open(f"/proc/{self.process}/schedstat") as file:
            return int(file.read().split()[0]) / 1e6

    def written(self, seconds):
        """Bytes until nothing was written for so long."""
        count = 0
        while select.select([self.terminal], [], [], seconds)[0]:
            count += len(os.read(self.terminal, 1 << 16))
        return count


def main(name, arguments):
    def tell(what, value, unit):
        print(f"bench {name}/{what} {value:.1f} {unit}")

    viewer = Viewer(arguments)
    select.select([viewer.terminal], [], [])
    tell("first-screen/cpu", viewer.used(), "ms")
    before = None
    while before is None or viewer.used() - before > 20:
        before = viewer.used()
        viewer.written(1)
    tell("all-read/cpu", viewer.used(), "ms")
    times, sizes = [], []
    for key in KEYS:
        before = viewer.used()
        os.write(viewer.terminal, key)
        select.select([viewer.terminal], [], [], 1)
        times.append(viewer.used() - before)
        sizes.append(viewer.written(0.3))
    tell("key-median/cpu", statistics.median(times), "ms")
    tell("key-worst/cpu", max(times), "ms")
    tell("key-median/written", statistics.median(sizes), "bytes")
    tell("key-worst/written", max(sizes), "bytes")
    os.write(viewer.terminal, b"q")
    os.waitpid(viewer.process, 0)


main(sys.argv[1], sys.argv[2:])
