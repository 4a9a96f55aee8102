"""Writes traces."""

import contextlib
import ctypes
import functools
import os
import stat
import threading
import weakref
from ctypes import c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from .libraries import Error, declare, load, room, structure


class _Handle(ctypes.Structure):
    """Identifies a type, value or container; `of` is its type, or the parent of a type."""
    _fields_ = [("alias", c_uint32)]

    def __repr__(self):
        return "<%s %d>" % (type(self).__name__, self.alias)


class pajewrite_type(_Handle):
    pass


class pajewrite_container(_Handle):
    pass


class pajewrite_value(_Handle):
    pass


_Config = structure("pajewrite_config", ("sink", c_void_p), ("sink_data", c_void_p), ("offer", c_void_p),
                    ("clock", c_void_p), ("clock_data", c_void_p), ("next_buffer", c_void_p), ("next_buffer_data", c_void_p), ("origin", c_uint64),
                    ("decimals", c_uint32), ("disabled", c_uint32), ("alias_first", c_uint32),
                    ("alias_step", c_uint32), ("aliases", c_void_p),
                    ("old_names", c_int), ("names", c_int), ("when_full", c_int),
                    ("table", c_void_p), ("table_entries", c_size_t), ("definitions_size", c_size_t))
_WriteCounts = structure("pajewrite_counts", ("written", c_uint64), ("dropped", c_uint64), ("refused", c_uint64))
_Event = structure("pajewrite_event", ("kind", c_int), ("container", pajewrite_container), ("type", pajewrite_type),
                   ("value", pajewrite_value), ("time", c_uint64), ("other", pajewrite_container),
                   ("of", pajewrite_type), ("start_type", pajewrite_type), ("end_type", pajewrite_type),
                   ("integer", c_int64), ("real", c_double), ("is_real", c_int), ("key", c_uint64),
                   ("name", c_char_p), ("color", c_char_p))
_Variant = structure("pajewrite_variant", ("number", c_uint32), ("kind", c_int), ("fields", c_uint32))
_LineFields = structure("pajewrite_fields", ("variant", _Variant), ("count", c_uint32), ("size", c_uint32),
                        ("invalid", c_uint32), ("not_finite", c_uint32), ("text", c_char * 240))
_Sink = ctypes.PYFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)

(_CONTAINER_TYPE, _STATE_TYPE, _EVENT_TYPE, _VARIABLE_TYPE, _LINK_TYPE, _VALUE, _CREATE, _DESTROY, _SET_STATE,
 _PUSH_STATE, _POP_STATE, _RESET_STATE, _NEW_EVENT, _SET_VARIABLE, _ADD_VARIABLE, _SUB_VARIABLE, _START_LINK,
 _END_LINK) = range(10, 28)
_NOW = 2 ** 64 - 1
_E_SINK = 2
_BUFFER = 1 << 16


@functools.lru_cache(None)
def _pajewrite():
    library = load("pajewrite", (pajewrite_type, pajewrite_container, pajewrite_value, _Config, _WriteCounts, _Event,
                                 _Variant, _LineFields))
    return declare(library, "pajewrite_", {
        "init": (c_int, c_void_p, c_void_p, c_size_t, c_void_p),
        "header": (None, c_void_p),
        "flush": (c_int, c_void_p),
        "finish": (c_int, c_void_p),
        "get_status": (c_int, c_void_p),
        "condition": (c_int, c_void_p),
        "status_text": (c_char_p, c_int),
        "count": (_WriteCounts, c_void_p),
        "monotonic": (c_uint64, c_void_p),
        "new_type": (pajewrite_type, c_void_p),
        "new_container": (pajewrite_container, c_void_p),
        "new_value": (pajewrite_value, c_void_p),
        "define_variant": (_Variant, c_void_p, c_int, c_char_p),
        "fields_of": (_LineFields, _Variant),
        "field_int": (None, c_void_p, c_int64),
        "field_double": (None, c_void_p, c_double),
        "field_string": (None, c_void_p, c_char_p),
        "write": (None, c_void_p, c_void_p, c_void_p),
        "file_init": (c_int, c_void_p, c_int),
        "to_file": (c_int, c_void_p, c_char_p, c_size_t),
    })


def _bytes(text):
    """Encodes text for C; None stays None."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError("%r is not a str" % (text,))
    text = text.encode("utf-8", "surrogateescape")
    if b"\0" in text:
        raise ValueError("a name cannot hold NUL")
    return text


def _integer(number, least=-2 ** 63):
    """Checks the range, as ctypes would truncate the number."""
    if not least <= number < least + 2 ** 64:
        raise OverflowError("%d does not fit 64 bits" % number)
    return number


_contexts = weakref.WeakSet()


def _renew_locks():
    """In a child of fork, where threads that held locks are gone."""
    for context in _contexts:
        context.lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_locks)


class _Context:
    """What a Writer needs until the trace is closed, which weakref.finalize does when the Writer is collected."""

    def __init__(self, file, decimals, table):
        self.lib = _pajewrite()
        self.lock = threading.RLock()
        self.process = os.getpid()
        self.busy = False       # within the sink
        self.raised = None      # by the sink
        self.reported = None    # number of problems at the last exception
        self.condition = 0      # what an exception told has stopped the writer, or that its table is full
        self.descriptor = None
        self.config = _Config(origin=self.lib.monotonic(None) // 10 ** (9 - decimals), decimals=decimals)
        if not hasattr(file, "write"):
            self.descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
            if stat.S_ISFIFO(os.fstat(self.descriptor).st_mode):  # whose reader may be a thread of this interpreter
                file = open(self.descriptor, "wb", buffering=0, closefd=False)
        if hasattr(file, "write"):
            self.file = file
            self.sink = _Sink(self.deliver)
        else:
            self.file = room(self.lib.sizeof("pajewrite_file"))
            self.lib.file_init(self.file, self.descriptor)
            self.sink = self.lib.to_file
            self.config.sink_data = ctypes.addressof(self.file)
        self.config.sink = ctypes.cast(self.sink, c_void_p)
        self.table = room(table * self.lib.sizeof("pajewrite_entry"))
        self.config.table, self.config.table_entries = ctypes.addressof(self.table), table
        self.buffer, self.w = room(_BUFFER), room(self.lib.sizeof("pajewrite"))
        self.lib.init(self.w, self.buffer, _BUFFER, ctypes.byref(self.config))
        _contexts.add(self)

    def deliver(self, _, start, size):
        self.busy = True
        try:
            if os.getpid() != self.process:
                raise Error("after a fork: the writer is that of the parent process")
            data = ctypes.string_at(start, size)
            while data:  # a raw file may write less than it is given
                data = data[self.file.write(data):]
            return 0
        except BaseException as error:
            self.raised = error
            return _E_SINK
        finally:
            self.busy = False

    def check(self):
        """Raises an exception for the errors since the last call."""
        status = self.lib.get_status(self.w)
        if not status:
            return
        condition, problems = self.lib.condition(self.w), self.problems()
        is_first, is_worse = self.reported is None, condition and condition != self.condition
        if self.raised is None and self.reported == problems and not is_worse:
            return
        self.reported, self.condition = problems, condition or self.condition
        if self.raised is not None:
            raised, self.raised = self.raised, None
            raise raised
        text = self.lib.status_text(condition if is_worse else status).decode()
        raise Error(text if is_first or is_worse else "refused; the first problem was: " + text)

    def problems(self):
        counts = self.lib.count(self.w)
        return counts.dropped + counts.refused

    def end(self):
        if os.getpid() != self.process:
            return  # after a fork: the trace belongs to the parent
        try:
            with self.lock:
                self.lib.finish(self.w)
                self.check()
        finally:
            if self.descriptor is not None:
                os.close(self.descriptor)


class Writer:
    """Writes a trace to a path or a binary file.  close, the end of `with`, or the end of its life closes the trace and
    all open entities.  Quotes, newlines and commas in names, which the format cannot represent, are written as _.

    Threads may share a Writer: a call waits while another one writes to the file.

    `time` is a number of seconds since the start of the trace; None is the time since the Writer was created.  `fields`
    is a dictionary of user fields, whose values are int, float or str.  Calls that would make the trace invalid raise
    Error: an undefined type, a pop without a push, a time that decreases.  To detect them, types, containers, values,
    open states and links are kept in a table with `table` entries."""

    def __init__(self, file, decimals=9, table=1 << 14):
        if not 1 <= decimals <= 9:
            raise ValueError("decimals are 1 to 9")
        self._per_second = 10 ** decimals
        self._context = _Context(file, decimals, table)
        self._end = weakref.finalize(self, self._context.end)
        self._lib, self._w = self._context.lib, self._context.w
        self._variants = {}
        self._lib.header(self._w)
        self._context.check()

    root = pajewrite_container(0)
    root.of = root_type = pajewrite_type(0)

    def close(self):
        self._end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def flush(self):
        """Writes the buffer to the file."""
        with self._context.lock:
            self._ready()
            self._lib.flush(self._w)
            self._context.check()

    # ---- definitions; they return a handle for other calls

    def define_container_type(self, name, parent=root_type):
        return self._define(_CONTAINER_TYPE, name, parent)

    def define_state_type(self, name, of):
        return self._define(_STATE_TYPE, name, of)

    def define_event_type(self, name, of):
        return self._define(_EVENT_TYPE, name, of)

    def define_variable_type(self, name, of, color=None):
        return self._define(_VARIABLE_TYPE, name, of, color=_bytes(color))

    def define_link_type(self, name, start, end, of=root_type):
        """`of` is the type of the containers that links of this type belong to."""
        return self._define(_LINK_TYPE, name, of, start_type=start, end_type=end)

    def define_value(self, name, type, color=None):
        """`color`: "0.2 0.8 0.2" (red, green, blue) or "33cc33"."""
        value = self._lib.new_value(self._w)
        value.of = type
        self._write(_VALUE, value=value, type=type, name=_bytes(name), color=_bytes(color))
        return value

    def create_container(self, name, type, parent=root, time=None, fields=None):
        container = self._lib.new_container(self._w)
        container.of = type
        self._write(_CREATE, time, fields, container=container, type=type, other=parent, name=_bytes(name))
        return container

    # ---- events

    def destroy_container(self, container, time=None, fields=None):
        self._write(_DESTROY, time, fields, container=container, type=container.of)

    def set_state(self, container, type, value, time=None, fields=None):
        self._write(_SET_STATE, time, fields, container=container, type=type, value=value)

    def push_state(self, container, type, value, time=None, fields=None):
        self._write(_PUSH_STATE, time, fields, container=container, type=type, value=value)

    def pop_state(self, container, type, time=None, fields=None):
        self._write(_POP_STATE, time, fields, container=container, type=type)

    def reset_state(self, container, type, time=None, fields=None):
        self._write(_RESET_STATE, time, fields, container=container, type=type)

    @contextlib.contextmanager
    def state(self, container, type, value, fields=None):
        """Pushes the state, and pops it at the end of the `with` block."""
        self.push_state(container, type, value, fields=fields)
        try:
            yield
        finally:
            self.pop_state(container, type)

    def new_event(self, container, type, value, time=None, fields=None):
        self._write(_NEW_EVENT, time, fields, container=container, type=type, value=value)

    def set_variable(self, container, type, number, time=None, fields=None):
        self._write_number(_SET_VARIABLE, container, type, number, time, fields)

    def add_variable(self, container, type, number, time=None, fields=None):
        self._write_number(_ADD_VARIABLE, container, type, number, time, fields)

    def sub_variable(self, container, type, number, time=None, fields=None):
        self._write_number(_SUB_VARIABLE, container, type, number, time, fields)

    def start_link(self, type, value, start, key, container=root, time=None, fields=None):
        """`key` is an int or str, the same at both ends and not used by another link."""
        self._write(_START_LINK, time, fields, container=container, type=type, value=value, other=start, **_key(key))

    def end_link(self, type, value, end, key, container=root, time=None, fields=None):
        self._write(_END_LINK, time, fields, container=container, type=type, value=value, other=end, **_key(key))

    # ---- private

    def _ready(self):
        if self._context.busy:
            raise Error("called from within its own file")
        if not self._end.alive:
            raise Error("the writer is closed")

    def _define(self, kind, name, of, **members):
        handle = self._lib.new_type(self._w)
        handle.of = of
        self._write(kind, type=handle, of=of, name=_bytes(name), **members)
        return handle

    def _write_number(self, kind, container, type, number, time, fields):
        if isinstance(number, int):
            self._write(kind, time, fields, container=container, type=type, integer=_integer(number))
        else:
            self._write(kind, time, fields, container=container, type=type, real=number, is_real=1)

    def _write(self, kind, time=None, fields=None, **members):
        event = _Event(kind=kind, time=_NOW if time is None else self._ticks(time), **members)
        with self._context.lock:
            self._ready()
            line = ctypes.byref(self._line_fields(kind, fields)) if fields else None
            self._lib.write(self._w, ctypes.byref(event), line)
            self._context.check()

    def _ticks(self, time):
        ticks = round(time * self._per_second)
        if ticks < 0:
            raise ValueError("time is before the start of the trace")
        return _integer(ticks + self._context.config.origin, 0)

    def _line_fields(self, kind, fields):
        """Returns the user fields of a line; the first line with these fields defines them."""
        kinds = tuple((name, "int" if isinstance(field, int) else "double" if isinstance(field, float) else "string")
                      for name, field in fields.items())
        if (kind, kinds) not in self._variants:
            names = _bytes(", ".join("%s %s" % one for one in kinds))
            variant = self._lib.define_variant(self._w, kind, names)
            self._context.check()
            self._variants[kind, kinds] = variant
        line = self._lib.fields_of(self._variants[kind, kinds])
        for (_, form), field in zip(kinds, fields.values()):
            if form == "int":
                self._lib.field_int(ctypes.byref(line), _integer(field))
            elif form == "double":
                self._lib.field_double(ctypes.byref(line), field)
            else:
                self._lib.field_string(ctypes.byref(line), _bytes(field))
        return line


def _key(key):
    return {"key": _integer(key, 0)} if isinstance(key, int) else {"name": _bytes(key)}
