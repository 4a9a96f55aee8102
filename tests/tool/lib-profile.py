"""PAJE TRACE...: all formats of `paje profile` say the same."""
import csv
import io
import json
import sys

from cases import case, characters, run, short
import cases

tool, *traces = sys.argv[1:]

for trace in traces:
    for options in "", "--slices 10 --depth 1":
        @case("CSV as JSON: " + short(trace) + (", " + options if options else ""))
        def _():
            text, objects = (run(tool, "profile", "--format", form, *options.split(), trace).stdout
                             for form in ("csv", "json"))
            table = list(csv.DictReader(io.StringIO(text.decode("latin-1"), newline=""), strict=True))
            objects = json.loads(objects.decode("utf-8"), parse_float=str, parse_int=str)
            assert table, "no rows"
            for row, one in zip(map(characters, table), objects, strict=True):
                row = {name[0].lower() + name[1:]: field for name, field in row.items()}
                assert {name: field for name, field in row.items() if field != "" or name in one} == one, (row, one)

sys.exit(cases.failed)
