"""Reads traces: replays them into callbacks, or yields their entities."""

import contextlib
import ctypes
import functools
import os
from ctypes import c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p

from .libraries import Error, declare, load, room, structure

STOP = "stop"  # a callback returns this to end the replay

_Text = structure("pajesim_text", ("bytes", c_void_p), ("size", c_size_t))
_Fields = structure("pajesim_fields", ("count", c_uint32), ("definition", c_uint32), ("text", c_void_p),
                    ("spans", c_void_p))
_Field = structure("pajesim_field", ("name", _Text), ("role", c_int), ("type", c_int), ("text", _Text))
_Entity = structure("pajesim_entity", ("kind", c_int), ("imbrication", c_uint32), ("container", c_uint32),
                    ("type", c_uint32), ("value", c_uint32), ("start_container", c_uint32),
                    ("end_container", c_uint32), ("start", c_double), ("end", c_double), ("open", c_int),
                    ("number", c_double), ("value_name", _Text), ("key", _Text), ("opening", _Fields),
                    ("closing", _Fields))
_TypeInfo = structure("pajesim_type_info", ("ref", c_uint32), ("kind", c_int), ("parent", c_uint32),
                      ("start_type", c_uint32), ("end_type", c_uint32), ("name", _Text), ("alias", _Text),
                      ("color", _Text))
_ValueInfo = structure("pajesim_value_info", ("ref", c_uint32), ("type", c_uint32), ("implicit", c_int),
                       ("name", _Text), ("alias", _Text), ("color", _Text))
_Problem = structure("pajesim_problem", ("code", c_int), ("severity", c_int), ("text", c_char_p), ("line", c_uint64),
                     ("column", c_uint32), ("depth", c_uint32), ("bytes", _Text))
_Options = structure("pajesim_options", ("strict", c_int), ("parse_only", c_int), ("ignore_links", c_int),
                     ("old_names", c_int), ("line_max", c_uint32), ("line_capacity", c_uint32), ("remembered", c_uint32),
                     ("file_depth_max", c_uint32))
_Counts = structure("pajesim_counts", ("bytes", c_uint64), ("lines", c_uint64), ("events", c_uint64),
                    ("skipped", c_uint64), ("warnings", c_uint64), ("errors", c_uint64), ("by_event", c_uint64 * 20),
                    ("containers", c_uint64), ("states", c_uint64), ("variables", c_uint64), ("links", c_uint64),
                    ("punctual", c_uint64), ("first", c_double), ("last", c_double))
_Column = structure("pajesim_column", ("name", _Text), ("form", c_int), ("data", c_void_p), ("rows", c_uint64),
                    ("texts", c_void_p), ("ends", c_void_p), ("count", c_uint64))
_Callback = ctypes.PYFUNCTYPE(c_int, c_void_p, c_void_p)
_ON_ENTITY = ("container_created", "container_destroyed", "state_set", "state_pushed", "state_popped", "state_reset",
              "variable_set", "variable_updated", "link_started", "link_ended", "link_completed", "event", "closed")
_ENTRIES = ("definition", "line", "problem", "new_type", "new_value", *_ON_ENTITY, "finished")
_Callbacks = structure("pajesim_callbacks", *((name, _Callback) for name in _ENTRIES))

_OK, _PAUSED, _STOPPED, _OPEN, _FULL, _INVALID, _BUSY, _FINISHED = range(8)
_KINDS = ("", "Container", "State", "Event", "Variable", "Link")


@functools.lru_cache(None)
def _pajesim():
    library = load("pajesim", (_Text, _Fields, _Field, _Entity, _TypeInfo, _ValueInfo, _Problem, _Options, _Counts,
                               _Callbacks, _Column))
    return declare(library, "pajesim_", {
        "arena_min": (c_size_t, c_void_p),
        "init": (c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p),
        "feed": (c_int, c_void_p, c_char_p, c_size_t, c_void_p),
        "file": (_Text, c_void_p),
        "end_file": (c_int, c_void_p),
        "finish": (c_int, c_void_p),
        "finish_at": (c_int, c_void_p, c_double),
        "capacity_needed": (c_uint64, c_void_p),
        "move": (c_int, c_void_p, c_void_p, c_size_t),
        "count": (ctypes.POINTER(_Counts), c_void_p),
        "line_number": (c_uint64, c_void_p),
        "name": (_Text, c_void_p, c_uint32),
        "alias": (_Text, c_void_p, c_uint32),
        "color": (_Text, c_void_p, c_uint32),
        "parent": (c_uint32, c_void_p, c_uint32),
        "type_of": (c_uint32, c_void_p, c_uint32),
        "kind_of": (c_int, c_void_p, c_uint32),
        "start_of": (c_double, c_void_p, c_uint32),
        "user_field": (c_int, c_void_p, ctypes.POINTER(_Fields), c_uint32, ctypes.POINTER(_Field)),
    })


def _text(text):
    return ctypes.string_at(text.bytes, text.size).decode("utf-8", "surrogateescape")


class _Record:
    """A class whose members are its __slots__."""
    __slots__ = ()

    def __init__(self, *members):
        for name, member in zip(self.__slots__, members):
            setattr(self, name, member)

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, ", ".join("%s=%r" % (name, getattr(self, name))
                                                          for name in self.__slots__))


class Type(_Record):
    """`kind` is the kind of its entities: "Container", "State", "Event", "Variable" or "Link".  `parent` is the
    container type that it belongs to, None for the root type."""
    __slots__ = "name", "alias", "kind", "parent", "color"

    def __repr__(self):
        return "<%s type %s>" % (self.kind, self.name)


class Container(_Record):
    """`parent` is None for the root."""
    __slots__ = "name", "alias", "type", "parent", "start"

    @property
    def path(self):
        """The names of its ancestors and its own, as the commands of the tool print them: /Host one/Thread one"""
        names, one = [], self
        while one.parent:
            names.append(one.name.replace("\\", "\\\\").replace("/", "\\/"))
            one = one.parent
        return "/" + "/".join(reversed(names))

    def __repr__(self):
        return "<Container %s>" % self.path


class Value(_Record):
    """A value of a type; `implicit` if it is used without being defined."""
    __slots__ = "name", "alias", "type", "color", "implicit"


class Problem(_Record):
    """`severity` is "warning" or "error"; `depth` is greater than 0 in a file that the trace includes."""
    __slots__ = "severity", "text", "line", "column", "depth", "bytes"


class Entity(_Record):
    """`kind` is "Container", "State", "Event", "Variable" or "Link".  `value` is text for states, events and links, a
    number for variables, None for containers.  `end` is None while the entity is open.  `container` is the one that it
    belongs to.  Only links have `start_container`, `end_container` and `key`.  `opening` and `closing` are dictionaries
    of the user fields in the lines that began and ended the entity."""
    __slots__ = ("kind", "container", "type", "start", "end", "value", "imbrication", "start_container",
                 "end_container", "key", "opening", "closing")

    @property
    def duration(self):
        return None if self.end is None else self.end - self.start


class Simulation:
    """Replays the bytes of a trace, fed in pieces of any size.  It calls those of these methods that `handler` has:

        new_type(type)  new_value(value)  problem(problem)  finished()
        container_created(entity)  container_destroyed(entity)
        state_set(entity)  state_pushed(entity)  state_popped(entity)  state_reset(entity)
        variable_set(entity)  variable_updated(entity)  event(entity)
        link_started(entity)  link_ended(entity)  link_completed(entity)
        closed(entity)     each entity of any kind, once, when it is complete

    A method that returns STOP ends the replay: later bytes are ignored.  An exception in a method is raised by feed or
    finish, and ends the simulation.  `opener(name)` opens a file that the trace includes, as a context manager. 
    Options are those of pajesim_options, such as strict=True."""

    def __init__(self, handler, opener=None, **options):
        self._lib = _pajesim()
        self._opener = opener
        self._raised = None
        self._over = False  # an exception has ended it
        self._types, self._containers = {}, {}
        unknown = set(options) - {name for name, _ in _Options._fields_}  # ctypes would accept them
        if unknown:
            raise TypeError("no such option: " + ", ".join(sorted(unknown)))
        self._options = _Options(**options)
        self._callbacks, data = self._entries(handler), self._data(handler)
        size = max(1 << 16, self._lib.arena_min(ctypes.byref(self._options)))
        self._arena, self._sim = room(size), room(self._lib.sizeof("pajesim"))
        status = self._lib.init(self._sim, self._arena, size, ctypes.byref(self._options),
                                ctypes.byref(self._callbacks), data)
        if status != _OK:
            raise Error("pajesim_init refused these options: %r" % (options,))

    def feed(self, data):
        """Returns False when a method has stopped the replay."""
        self._check()
        data, taken = data if isinstance(data, bytes) else memoryview(data).tobytes(), c_size_t()
        while True:
            status = self._lib.feed(self._sim, data, len(data), ctypes.byref(taken))
            if not self._settle(status):
                return status != _STOPPED
            data = data[taken.value:]

    def read(self, file):
        """Feeds all of a binary file; returns the same as feed."""
        read = getattr(file, "read1", file.read)
        while data := read(1 << 16):
            if not self.feed(data):
                return False
        return True

    def finish(self, time=None):
        """Closes open entities, at the greatest time seen or at `time`.  Returns whether there were no errors."""
        self._check()
        while True:
            status = self._lib.finish(self._sim) if time is None else self._lib.finish_at(self._sim, time)
            if not self._settle(status):
                return self.counts()["errors"] == 0

    def counts(self):
        """Returns a dictionary: bytes, lines, events, warnings, errors, states, first and last time, and so on."""
        counts = self._lib.count(self._sim).contents
        return {name: getattr(counts, name) for name, _ in _Counts._fields_ if name != "by_event"}

    @property
    def line(self):
        """The number of the line that is being replayed, in its file."""
        return self._lib.line_number(self._sim)

    def _check(self):
        if self._over:
            raise Error("an exception has ended this simulation")

    def _settle(self, status):
        """Handles a status of the library.  Returns whether to call it again."""
        if self._raised is not None:
            raised, self._raised, self._over = self._raised, None, True
            raise raised
        if status == _FULL:
            size = max(2 * ctypes.sizeof(self._arena), self._lib.capacity_needed(self._sim))
            arena = room(size)
            if self._lib.move(self._sim, arena, size) != _OK:
                raise Error("no more than 4 GiB can be alive")
            self._arena = arena
            return True
        if status == _OPEN:
            self._include(_text(self._lib.file(self._sim)))
            return True
        if status in (_BUSY, _FINISHED):
            raise Error("called from within a callback" if status == _BUSY else "fed after finish")
        return False

    def _include(self, name):
        try:
            if not self._opener:
                raise Error("the trace includes %r, and there is no opener" % name)
            with self._opener(name) as file:
                self.read(file)
        except BaseException:
            self._over = True
            raise
        while self._settle(self._lib.end_file(self._sim)):
            pass

    def _data(self, handler):
        return None  # what the callbacks find by pajesim_data

    def _entries(self, handler):
        entries = _Callbacks()

        def enter(name, copy):
            method = getattr(handler, name, None)

            def callback(_, view):
                try:
                    if self._raised is not None:
                        return 0
                    argument = copy(view)
                    if method:
                        result = method() if argument is None else method(argument)
                        return 2 if result is STOP else 0
                    return 0
                except BaseException as error:  # raised again by feed
                    self._raised = error
                    return 2

            if method or name == "container_created":
                setattr(entries, name, _Callback(callback))

        def entity(view):
            return self._entity(_Entity.from_address(view))

        def created(view):  # its reference may have been that of a destroyed container
            self._containers.pop(_Entity.from_address(view).container, None)
            return entity(view)

        for name in _ON_ENTITY:
            enter(name, created if name == "container_created" else entity)
        enter("new_type", lambda view: self._type(_TypeInfo.from_address(view).ref))
        enter("new_value", lambda view: self._value(_ValueInfo.from_address(view)))
        enter("problem", self._problem)
        enter("finished", lambda view: None)
        return entries

    def _type(self, ref):
        if ref and ref not in self._types:
            lib, sim, above = self._lib, self._sim, []
            while ref and ref not in self._types:
                above.append(ref)
                ref = lib.parent(sim, ref)
            for one in reversed(above):  # from the root down, without recursion: trees may be deep
                self._types[one] = Type(_text(lib.name(sim, one)), _text(lib.alias(sim, one)),
                                        _KINDS[lib.kind_of(sim, one)], self._types.get(ref),
                                        _text(lib.color(sim, one)))
                ref = one
        return self._types.get(ref)

    def _container(self, ref):
        """Copies are kept after the destruction of a container, as a link that began there may still end."""
        if ref and ref not in self._containers:
            lib, sim, above = self._lib, self._sim, []
            while ref and ref not in self._containers:
                above.append(ref)
                ref = lib.parent(sim, ref)
            for one in reversed(above):  # from the root down, as types
                self._containers[one] = Container(_text(lib.name(sim, one)), _text(lib.alias(sim, one)),
                                                  self._type(lib.type_of(sim, one)), self._containers.get(ref),
                                                  lib.start_of(sim, one))
                ref = one
        return self._containers.get(ref)

    def _value(self, value):
        return Value(_text(value.name), _text(value.alias), self._type(value.type), _text(value.color),
                     bool(value.implicit))

    def _problem(self, view):
        it = _Problem.from_address(view)
        return Problem("error" if it.severity == 2 else "warning", it.text.decode(), it.line, it.column, it.depth,
                       _text(it.bytes))

    def _entity(self, it):
        kind = _KINDS[it.kind]
        link = kind == "Link"
        value = it.number if kind == "Variable" else None if kind == "Container" else _text(it.value_name)
        return Entity(kind, self._container(it.container), self._type(it.type), it.start, None if it.open else it.end,
                      value, it.imbrication, self._container(it.start_container) if link else None,
                      self._container(it.end_container) if link else None, _text(it.key) if link else None,
                      self._fields(it.opening), self._fields(it.closing))

    def _fields(self, fields):
        texts, field = {}, _Field()
        for i in range(fields.count):
            if self._lib.user_field(self._sim, fields, i, field):
                texts.setdefault(_text(field.name), _text(field.text))
        return texts


def _opener(trace):
    """Opens files that lie in the folder of the trace, or below it."""
    folder = os.path.realpath(os.path.dirname(os.path.abspath(trace)))

    def opener(name):
        path = os.path.realpath(os.path.join(folder, name))
        if os.path.commonpath([folder, path]) != folder:
            raise Error("%s: it includes %r, which lies outside of its folder" % (trace, name))
        return open(path, "rb")

    return opener


@contextlib.contextmanager
def _simulation(file, handler, options, make=Simulation):
    """Yields a simulation, and the open file to read from; `file` is a path or a binary file."""
    if hasattr(file, "read"):
        yield make(handler, **options), file
    else:
        with open(file, "rb") as opened:
            yield make(handler, **{"opener": _opener(os.fspath(file)), **options}), opened


def replay(file, handler, **options):
    """Replays a whole trace, a path or a binary file, into the methods of `handler`.  Returns the Simulation."""
    with _simulation(file, handler, options) as (simulation, opened):
        simulation.read(opened)
        simulation.finish()
        return simulation


class _Collector:
    def __init__(self):
        self.entities = []

    def closed(self, entity):
        self.entities.append(entity)


def entities(file, **options):
    """Yields each entity of a trace as soon as it is complete; `file` is a path or a binary file.

    Lines that are refused are skipped; replay into a handler with a method `problem` to get reports of them."""
    collector = _Collector()
    with _simulation(file, collector, options) as (simulation, opened):
        read = getattr(opened, "read1", opened.read)
        while data := read(1 << 16):
            simulation.feed(data)
            yield from collector.entities
            collector.entities.clear()
        simulation.finish()
        yield from collector.entities
