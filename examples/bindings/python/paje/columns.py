"""Reads a trace into columns, which the library fills: an array for each member of its entities."""

import collections.abc
import ctypes
import functools
import os
import warnings
import weakref
from ctypes import POINTER, c_double, c_int, c_int32, c_uint32, c_uint64, c_void_p

from .libraries import declare
from .reader import _KINDS, Simulation, _Callbacks, _Column, _pajesim, _Problem, _simulation, _text

_DOUBLES, _INTEGERS, _CODES = range(3)


@functools.lru_cache(None)
def _library():
    return declare(_pajesim(), "pajesim_", {
        "columns_new": (c_void_p, c_int, c_int),
        "columns_callbacks": (POINTER(_Callbacks),),
        "columns_end": (c_int, c_void_p),
        "columns_get": (c_int, c_void_p, c_uint32, POINTER(_Column)),
        "columns_problem": (POINTER(_Problem), c_void_p),
        "columns_free": (None, c_void_p),
    })


class _Memory:
    """The columns of the library, which are freed when nothing refers to this object any more: each array does."""

    def __init__(self, kind, fields):
        if kind not in _KINDS[1:]:
            raise ValueError("no kind of entity: %r (%s)" % (kind, ", ".join(_KINDS[1:])))
        self.lib = _library()
        self.address = self.lib.columns_new(_KINDS.index(kind), fields)
        if not self.address:
            raise MemoryError
        weakref.finalize(self, self.lib.columns_free, self.address)

    def array(self, item, address, count):
        array = (item * count).from_address(address) if count else (item * 0)()
        array.memory = self
        try:
            import numpy
        except ImportError:
            return memoryview(array).cast("B").cast(item._type_)
        return numpy.frombuffer(array, item) if count else numpy.empty(0, item)


class Names:
    """A column of names: `codes` is an array of int32, each the place of a name in `dictionary`, or -1 where there is
    none.  A subscript gives the name of a row."""

    def __init__(self, memory, column):
        self._memory, self._column = memory, column
        self.codes = memory.array(c_int32, column.data, column.rows)

    @functools.cached_property
    def dictionary(self):
        """A list of str, each once."""
        count = self._column.count
        ends = (c_uint64 * count).from_address(self._column.ends) if count else ()
        texts, names, start = self._column.texts, [], 0
        for end in ends:
            names.append(ctypes.string_at(texts + start, end - start).decode("utf-8", "surrogateescape"))
            start = end
        return names

    def __len__(self):
        return len(self.codes)

    def __getitem__(self, row):
        code = self.codes[row]
        return None if code < 0 else self.dictionary[code]


class Columns(collections.abc.Mapping):
    """The entities of one kind, in order of completion: a mapping from the name of a column to an array (of numpy if it
    is installed, else a memoryview), or to Names.  `errors` is the number of errors of the trace, and `problem` the
    first one, or None."""

    def __init__(self, memory, errors, problem):
        self.errors, self.problem = errors, problem
        self._columns = {}
        while True:
            column = _Column()
            if not memory.lib.columns_get(memory.address, len(self._columns), column):
                break
            if column.form == _CODES:
                array = Names(memory, column)
            else:
                array = memory.array(c_double if column.form == _DOUBLES else c_int32, column.data, column.rows)
            self._columns[_text(column.name)] = array

    def __getitem__(self, name):
        return self._columns[name]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    def __repr__(self):
        return "<Columns %s>" % ", ".join(self)

    def to_pandas(self):
        """Returns a pandas.DataFrame: names are categories, which take 4 bytes a row at most."""
        import pandas
        return pandas.DataFrame({name: pandas.Categorical.from_codes(column.codes, column.dictionary)
                                 if isinstance(column, Names) else column for name, column in self.items()})


class _Filler(Simulation):
    """Its callbacks are those of the library, which fill the columns."""

    def _entries(self, memory):
        return memory.lib.columns_callbacks().contents

    def _data(self, memory):
        return memory.address


def columns(file, kind, fields=False, **options):
    """Returns Columns: all entities of a kind, "Container", "State", "Event", "Variable" or "Link".  `file` is a path or
    a binary file.

    Columns are called as the members of Entity; containers are names of paths, and `container_alias` and its like tell
    containers of one path apart.  With `fields=True` there is a column for each user field, "opening.NAME" or "closing.NAME": of numbers, NaN where there is
    none, if each of its texts is a number without leading zeros and with at most 15 digits before the point; else
    Names.

    Lines that are refused are skipped, and a UserWarning tells how many, and the first."""
    memory = _Memory(kind, fields)
    with _simulation(file, memory, options, _Filler) as (simulation, opened):
        simulation.read(opened)
        simulation.finish()
        if not memory.lib.columns_end(memory.address):
            raise MemoryError("the columns do not fit into memory")
        errors, problem = simulation.counts()["errors"], memory.lib.columns_problem(memory.address)
        problem = simulation._problem(ctypes.addressof(problem.contents)) if problem else None
    if errors:
        name = getattr(file, "name", "the trace") if hasattr(file, "read") else os.fsdecode(file)
        warnings.warn("%s: %d errors, the first in line %d: %s%s" % (
            name, errors, problem.line, problem.text, ": `%s`" % problem.bytes if problem.bytes else ""), stacklevel=2)
    return Columns(memory, errors, problem)
