"""What those tests of the tool share that are in Python: lib-NAME.py, which the test NAME.sh runs."""
import codecs
import csv
import os
import subprocess
import sys
import traceback

sys.dont_write_bytecode = True
group = os.path.basename(sys.argv[0])[len("lib-"):-len(".py")]
failed = False

# What formats of characters have in place of bytes that are no UTF-8.
codecs.register_error("each", lambda e: ("\ufffd" * (e.end - e.start), e.end))


def case(name):
    """Decorates a test, which raises what is wrong: runs it, and prints a line."""
    def run_it(test):
        global failed
        try:
            test()
            print("PASS tool %s: %s" % (group, name))
        except BaseException as error:
            failed = True
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = "%s: %s" % (type(error).__name__, error)
            print("FAIL tool %s: %s: %s, line %d: %s" % (group, name, os.path.basename(where.filename), where.lineno,
                                                       what.replace("\n", "|")[:300]))
    return run_it


def short(trace):
    return "/".join(trace.split("/")[-2:])


def run(*command, data=None):
    return subprocess.run(command, input=data, capture_output=True)


def same(expected, got):
    """Compares two sorted lists of lines."""
    if expected != got:
        missing, surplus = [one for one in expected if one not in got], [one for one in got if one not in expected]
        raise AssertionError("%d lines, %d expected; missing: %s; surplus: %s" %
                             (len(got), len(expected), missing[:2], surplus[:2]))


def dump(tool, trace, *options, data=None):
    return sorted(run(tool, "dump", *options, trace, data=data).stdout.split(b"\n")[:-1])


def table(folder, name):
    """The rows of a table of `paje csv`, a letter for each byte."""
    with open(os.path.join(folder, name + ".csv"), encoding="latin-1", newline="") as file:
        yield from csv.DictReader(file, strict=True)


def characters(row):
    return {name: text.encode("latin-1").decode("utf-8", "each") for name, text in row.items()}
