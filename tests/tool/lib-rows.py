"""NAME FILE FILE: the same rows, with tabs between columns; numbers may differ in the last of 15 digits."""
import sys

name, *files = sys.argv[1:]


def is_same(a, b):
    if a == b:
        return True
    try:
        return abs(float(a) - float(b)) <= 1e-9 * max(1, abs(float(a)))
    except ValueError:
        return False


one, other = ([line.rstrip("\n").split("\t") for line in open(file)] for file in files)
different = [pair for pair in zip(one, other)
             if len(pair[0]) != len(pair[1]) or not all(map(is_same, *pair))]
if one and len(one) == len(other) and not different:
    print("PASS tool", name)
else:
    print("FAIL tool %s: %d and %d rows, %d differ: %s" % (name, len(one), len(other), len(different), different[:1]))
    sys.exit(1)
