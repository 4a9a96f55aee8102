"""What the tests of `paje matrix`, `histogram` and `slices` share: the tables of `paje csv`, which they are held
against."""
import csv
import io
import re

from cases import run, table


def tables(tool, folder, trace, *options):
    """The rows of all tables, by kind."""
    run(tool, "csv", "-u", "-d", folder, *options, trace)
    return {kind: list(table(folder, kind + "s")) for kind in ("container", "state", "event", "variable", "link")}


def chart(tool, command, trace, *options):
    """What a command prints as CSV, a letter for each byte."""
    text = run(tool, command, "--format", "csv", *options, trace).stdout.decode("latin-1")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def names(path):
    """The names of a path, escaped as they are in it."""
    return re.findall(r"/((?:[^/\\]|\\.)*)", path, re.DOTALL) if path != "/" else []


def cut(path, depth):
    """The path of the container that has a row at a depth, which is at most 256."""
    return "/" + "/".join(names(path)[:min(depth, 256)])


def close(got, expected, extent, what):
    assert abs(float(got) - expected) <= 1e-11 * extent + 1e-300, (what, got, expected)
