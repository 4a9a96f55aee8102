"""Replays Pajé traces into Python callbacks, and writes them: pajesim.h and pajewrite.h, through the libraries that
`make lib` builds.

    for entity in paje.entities("t.trace"):
        if entity.kind == "State":
            print(entity.container.path, entity.value, entity.start, entity.end)

    with paje.Writer("t.trace") as w:
        thread = w.define_container_type("Thread")
        activity = w.define_state_type("Activity", thread)
        working = w.define_value("working", activity, "0.2 0.7 0.3")
        me = w.create_container("me", thread)
        with w.state(me, activity, working):
            ...

Text is str; bytes that are no UTF-8 come and go as surrogate escapes (see PEP 383).  Times are seconds.  What is handed
to callbacks are copies, which stay what they are.  A Simulation or a Writer is for one thread at a time.

The libraries are looked for in the folder that PAJE_LIBRARIES names, in build/ of the repository, and where the system
has its own.
"""

import contextlib
import ctypes
import functools
import os
import time
import weakref
from ctypes import c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

__all__ = ["Container", "Entity", "Error", "Problem", "STOP", "Simulation", "Type", "Value", "Writer", "entities",
           "replay"]

STOP = "stop"  # what a callback answers to end the replay


class Error(Exception):
    """What a library says is wrong."""


# ---- the libraries: each is loaded when it is needed first

ABI = (0, 1)  # major and minor version


def _structure(name, *members):
    return type(name, (ctypes.Structure,), {"_fields_": list(members)})


def _load(name, structures):
    file = "lib%s.so.%d.%d" % (name, *ABI)
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [os.environ.get("PAJE_LIBRARIES"), os.path.join(here, "..", "..", "build")]
    paths = [path for path in (os.path.join(folder, file) for folder in folders if folder) if os.path.exists(path)]
    try:
        # It keeps the interpreter's lock, so that another thread cannot interfere: callbacks are the only exception.
        library = ctypes.PyDLL(paths[0] if paths else file)
    except OSError as error:
        raise ImportError("%s: run `make lib`, or let PAJE_LIBRARIES name its folder" % error) from None
    sizeof = library[name + "_sizeof"]
    sizeof.restype, sizeof.argtypes = c_size_t, [c_char_p]
    for structure in structures:
        if sizeof(structure.__name__.encode()) != ctypes.sizeof(structure):
            raise ImportError("%s: its %s is another one; is it of another version?" % (file, structure.__name__))
    library.sizeof = lambda structure: sizeof(structure.encode())
    return library


def _declare(library, prefix, functions):
    for name, (result, *arguments) in functions.items():
        function = library[prefix + name]
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    return library


def _room(size):
    return (c_uint64 * ((size + 7) // 8))()


# ---- replaying

_Text = _structure("pajesim_text", ("bytes", c_void_p), ("size", c_size_t))
_Fields = _structure("pajesim_fields", ("count", c_uint32), ("definition", c_uint32), ("text", c_void_p),
                     ("spans", c_void_p))
_Field = _structure("pajesim_field", ("name", _Text), ("role", c_int), ("type", c_int), ("text", _Text))
_Entity = _structure("pajesim_entity", ("kind", c_int), ("imbrication", c_uint32), ("container", c_uint32),
                     ("type", c_uint32), ("value", c_uint32), ("start_container", c_uint32),
                     ("end_container", c_uint32), ("start", c_double), ("end", c_double), ("open", c_int),
                     ("number", c_double), ("value_name", _Text), ("key", _Text), ("opening", _Fields),
                     ("closing", _Fields))
_TypeInfo = _structure("pajesim_type_info", ("ref", c_uint32), ("kind", c_int), ("parent", c_uint32),
                       ("start_type", c_uint32), ("end_type", c_uint32), ("name", _Text), ("alias", _Text),
                       ("color", _Text))
_ValueInfo = _structure("pajesim_value_info", ("ref", c_uint32), ("type", c_uint32), ("implicit", c_int),
                        ("name", _Text), ("alias", _Text), ("color", _Text))
_Problem = _structure("pajesim_problem", ("code", c_int), ("severity", c_int), ("text", c_char_p), ("line", c_uint64),
                      ("column", c_uint32), ("depth", c_uint32), ("bytes", _Text))
_Options = _structure("pajesim_options", ("strict", c_int), ("parse_only", c_int), ("ignore_links", c_int),
                      ("old_names", c_int), ("line_max", c_uint32), ("line_room", c_uint32), ("kept", c_uint32),
                      ("depth_max", c_uint32))
_Counts = _structure("pajesim_counts", ("bytes", c_uint64), ("lines", c_uint64), ("events", c_uint64),
                     ("skipped", c_uint64), ("warnings", c_uint64), ("errors", c_uint64), ("by_event", c_uint64 * 20),
                     ("containers", c_uint64), ("states", c_uint64), ("variables", c_uint64), ("links", c_uint64),
                     ("punctual", c_uint64), ("first", c_double), ("last", c_double))
_Callback = ctypes.PYFUNCTYPE(c_int, c_void_p, c_void_p)
_ON_ENTITY = ("container_created", "container_destroyed", "state_set", "state_pushed", "state_popped", "state_reset",
              "variable_set", "variable_updated", "link_started", "link_ended", "link_completed", "event", "closed")
_ENTRIES = ("definition", "line", "problem", "new_type", "new_value", *_ON_ENTITY, "finished")
_Callbacks = _structure("pajesim_callbacks", *((name, _Callback) for name in _ENTRIES))

_OK, _PAUSED, _STOPPED, _OPEN, _FULL, _INVALID, _BUSY, _FINISHED = range(8)
_KINDS = ("", "Container", "State", "Event", "Variable", "Link")


@functools.lru_cache(None)
def _pajesim():
    library = _load("pajesim", (_Text, _Fields, _Field, _Entity, _TypeInfo, _ValueInfo, _Problem, _Options, _Counts,
                                _Callbacks))
    return _declare(library, "pajesim_", {
        "arena_min": (c_size_t, c_void_p),
        "init": (c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p),
        "feed": (c_int, c_void_p, c_char_p, c_size_t, c_void_p),
        "file": (_Text, c_void_p),
        "end_file": (c_int, c_void_p),
        "finish": (c_int, c_void_p),
        "finish_at": (c_int, c_void_p, c_double),
        "needed": (c_uint64, c_void_p),
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


class _Thing:
    """Members by name."""
    __slots__ = ()

    def __init__(self, *members):
        for name, member in zip(self.__slots__, members):
            setattr(self, name, member)

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, ", ".join("%s=%r" % (name, getattr(self, name))
                                                          for name in self.__slots__))


class Type(_Thing):
    """`kind`: what it is a type of, "Container", "State", "Event", "Variable" or "Link"; `parent`: the container type
    that it belongs to, None for the root type."""
    __slots__ = "name", "alias", "kind", "parent", "color"

    def __repr__(self):
        return "<%s type %s>" % (self.kind, self.name)


class Container(_Thing):
    """`parent` is None for the root."""
    __slots__ = "name", "alias", "type", "parent", "start"

    @property
    def path(self):
        """The names of those that it is in and its own, as all commands of the tool write them: /Host one/Thread one"""
        names, one = [], self
        while one.parent:
            names.append(one.name.replace("\\", "\\\\").replace("/", "\\/"))
            one = one.parent
        return "/" + "/".join(reversed(names))

    def __repr__(self):
        return "<Container %s>" % self.path


class Value(_Thing):
    """One of a type's values, when it is defined, or (`implicit`) used without that."""
    __slots__ = "name", "alias", "type", "color", "implicit"


class Problem(_Thing):
    """`severity` is "warning" or "error"; `depth` is greater than 0 in a file that the trace includes."""
    __slots__ = "severity", "text", "line", "column", "depth", "bytes"


class Entity(_Thing):
    """`kind`: "Container", "State", "Event", "Variable" or "Link".  `value`: text for states, events and links, a
    number for variables, else None.  `end` is None as long as it is open.  `container` is the one that bears it.
    `start_container`, `end_container` and `key` are those of links.  `opening`, `closing`: dictionaries, user fields
    of the line that began it and the one that ended it."""
    __slots__ = ("kind", "container", "type", "start", "end", "value", "imbrication", "start_container",
                 "end_container", "key", "opening", "closing")

    @property
    def duration(self):
        return None if self.end is None else self.end - self.start


class Simulation:
    """Is fed with the bytes of a trace, in pieces of any size, and calls the methods that `handler` has of these:

        new_type(type)  new_value(value)  problem(problem)  finished()
        container_created(entity)  container_destroyed(entity)
        state_set(entity)  state_pushed(entity)  state_popped(entity)  state_reset(entity)
        variable_set(entity)  variable_updated(entity)  event(entity)
        link_started(entity)  link_ended(entity)  link_completed(entity)
        closed(entity)     each entity of any kind, once, when it is complete

    A method that answers STOP ends the replay: feed takes nothing more.  What a method raises comes out of feed or
    finish, and ends it for good.  `opener(name)` opens a file that the trace includes, for `with`.  Options are those
    of pajesim_options, such as strict=True."""

    def __init__(self, handler, opener=None, **options):
        self._lib = _pajesim()
        self._opener = opener
        self._raised = None
        self._over = False  # an exception came out of it
        self._types, self._containers = {}, {}
        unknown = set(options) - {name for name, _ in _Options._fields_}  # which ctypes would take
        if unknown:
            raise TypeError("no such option: " + ", ".join(sorted(unknown)))
        self._options = _Options(**options)
        self._callbacks = self._entries(handler)
        size = max(1 << 16, self._lib.arena_min(ctypes.byref(self._options)))
        self._arena, self._sim = _room(size), _room(self._lib.sizeof("pajesim"))
        status = self._lib.init(self._sim, self._arena, size, ctypes.byref(self._options),
                                ctypes.byref(self._callbacks), None)
        if status != _OK:
            raise Error("pajesim_init refused these options: %r" % (options,))

    def feed(self, data):
        """Answers False when a method has stopped the replay."""
        self._check()
        data, taken = data if isinstance(data, bytes) else memoryview(data).tobytes(), c_size_t()
        while True:
            status = self._lib.feed(self._sim, data, len(data), ctypes.byref(taken))
            if not self._settle(status):
                return status != _STOPPED
            data = data[taken.value:]

    def read(self, file):
        """Feeds all of a binary file; answers as feed does."""
        read = getattr(file, "read1", file.read)
        while data := read(1 << 16):
            if not self.feed(data):
                return False
        return True

    def finish(self, time=None):
        """Closes what is open, at the greatest time seen or the one given.  Answers whether there were no errors."""
        self._check()
        while True:
            status = self._lib.finish(self._sim) if time is None else self._lib.finish_at(self._sim, time)
            if not self._settle(status):
                return self.counts()["errors"] == 0

    def counts(self):
        """A dictionary: bytes, lines, events, warnings, errors, states, first and last time, and so on."""
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
        """Does what an answer of the library asks for; answers whether to call again."""
        if self._raised is not None:
            raised, self._raised, self._over = self._raised, None, True
            raise raised
        if status == _FULL:
            size = max(2 * ctypes.sizeof(self._arena), self._lib.needed(self._sim))
            arena = _room(size)
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
                        answer = method() if argument is None else method(argument)
                        return 2 if answer is STOP else 0
                    return 0
                except BaseException as error:  # comes out of feed
                    self._raised = error
                    return 2

            if method or name == "container_created":
                setattr(entries, name, _Callback(callback))

        def entity(view):
            return self._entity(_Entity.from_address(view))

        def created(view):  # whose ref may have been that of one that was destroyed
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
            lib, sim = self._lib, self._sim
            kind, parent = _KINDS[lib.kind_of(sim, ref)], self._type(lib.parent(sim, ref))
            self._types[ref] = Type(_text(lib.name(sim, ref)), _text(lib.alias(sim, ref)), kind, parent,
                                    _text(lib.color(sim, ref)))
        return self._types.get(ref)

    def _container(self, ref):
        """The copy is kept when the container is destroyed: a link may still end that began there."""
        if ref and ref not in self._containers:
            lib, sim, above = self._lib, self._sim, []
            while ref and ref not in self._containers:
                above.append(ref)
                ref = lib.parent(sim, ref)
            for one in reversed(above):  # from the top down: trees may be deep
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
def _simulation(file, handler, options):
    """The simulation, and the file from which to read; `file` is a path or a binary file."""
    if hasattr(file, "read"):
        yield Simulation(handler, **options), file
    else:
        with open(file, "rb") as opened:
            yield Simulation(handler, **{"opener": _opener(os.fspath(file)), **options}), opened


def replay(file, handler, **options):
    """Replays a whole trace, of a path or a binary file, into the methods of `handler`; answers the Simulation."""
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
    """Each entity of a trace, as soon as it is complete; `file` is a path or a binary file.

    Lines that are refused are passed over: to hear of them, replay into a handler that has `problem`."""
    collector = _Collector()
    with _simulation(file, collector, options) as (simulation, opened):
        read = getattr(opened, "read1", opened.read)
        while data := read(1 << 16):
            simulation.feed(data)
            yield from collector.entities
            collector.entities.clear()
        simulation.finish()
        yield from collector.entities


# ---- writing

class _Handle(ctypes.Structure):
    """Names what was defined or created; `of` is its type, or what a type is a type of."""
    _fields_ = [("alias", c_uint32)]

    def __repr__(self):
        return "<%s %d>" % (type(self).__name__, self.alias)


class pajewrite_type(_Handle):
    pass


class pajewrite_container(_Handle):
    pass


class pajewrite_value(_Handle):
    pass


_Config = _structure("pajewrite_config", ("sink", c_void_p), ("sink_data", c_void_p), ("clock", c_void_p),
                     ("clock_data", c_void_p), ("room", c_void_p), ("room_data", c_void_p), ("origin", c_uint64),
                     ("decimals", c_uint32), ("enabled_not", c_uint32), ("alias_first", c_uint32),
                     ("alias_step", c_uint32), ("old_names", c_int), ("names", c_int), ("full", c_int),
                     ("table", c_void_p), ("table_entries", c_size_t), ("definitions_size", c_size_t))
_WriteCounts = _structure("pajewrite_counts", ("written", c_uint64), ("dropped", c_uint64), ("refused", c_uint64))
_Event = _structure("pajewrite_event", ("kind", c_int), ("container", pajewrite_container), ("type", pajewrite_type),
                    ("value", pajewrite_value), ("time", c_uint64), ("other", pajewrite_container),
                    ("of", pajewrite_type), ("start_type", pajewrite_type), ("end_type", pajewrite_type),
                    ("integer", c_int64), ("real", c_double), ("is_real", c_int), ("key", c_uint64),
                    ("name", c_char_p), ("color", c_char_p))
_Variant = _structure("pajewrite_variant", ("number", c_uint32), ("kind", c_int), ("fields", c_uint32))
_LineFields = _structure("pajewrite_fields", ("variant", _Variant), ("count", c_uint32), ("size", c_uint32),
                         ("unfit", c_uint32), ("number", c_uint32), ("text", c_char * 240))
_Sink = ctypes.PYFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)

(_CONTAINER_TYPE, _STATE_TYPE, _EVENT_TYPE, _VARIABLE_TYPE, _LINK_TYPE, _VALUE, _CREATE, _DESTROY, _SET_STATE,
 _PUSH_STATE, _POP_STATE, _RESET_STATE, _NEW_EVENT, _SET_VARIABLE, _ADD_VARIABLE, _SUB_VARIABLE, _START_LINK,
 _END_LINK) = range(10, 28)
_NOW = 2 ** 64 - 1
_E_SINK = 2
_BUFFER = 1 << 16


@functools.lru_cache(None)
def _pajewrite():
    library = _load("pajewrite", (pajewrite_type, pajewrite_container, pajewrite_value, _Config, _WriteCounts, _Event,
                                  _Variant, _LineFields))
    return _declare(library, "pajewrite_", {
        "init": (c_int, c_void_p, c_void_p, c_size_t, c_void_p),
        "header": (None, c_void_p),
        "flush": (c_int, c_void_p),
        "finish": (c_int, c_void_p),
        "get_status": (c_int, c_void_p),
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
    """As C wants it; None stays None."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError("%r is no text" % (text,))
    text = text.encode("utf-8", "surrogateescape")
    if b"\0" in text:
        raise ValueError("a name cannot hold NUL")
    return text


def _integer(number, least=-2 ** 63):
    """ctypes would cut it off."""
    if not least <= number < least + 2 ** 64:
        raise OverflowError("%d does not fit 64 bits" % number)
    return number


class _Context:
    """What must live until the trace is ended; apart from Writer, so that it can be ended when that one dies."""

    def __init__(self, file, decimals, table):
        self.lib = _pajewrite()
        self.process = os.getpid()
        self.busy = False       # within the sink
        self.raised = None      # by the sink
        self.told = None        # how many problems, at the last exception
        self.descriptor = None
        self.config = _Config(origin=self.lib.monotonic(None), decimals=decimals)
        if hasattr(file, "write"):
            self.file = file
            self.sink = _Sink(self.deliver)
        else:
            self.descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
            self.file = _room(self.lib.sizeof("pajewrite_file"))
            self.lib.file_init(self.file, self.descriptor)
            self.sink = self.lib.to_file
            self.config.sink_data = ctypes.addressof(self.file)
        self.config.sink = ctypes.cast(self.sink, c_void_p)
        self.table = _room(table * self.lib.sizeof("pajewrite_entry"))
        self.config.table, self.config.table_entries = ctypes.addressof(self.table), table
        self.buffer, self.w = _room(_BUFFER), _room(self.lib.sizeof("pajewrite"))
        self.lib.init(self.w, self.buffer, _BUFFER, ctypes.byref(self.config))

    def deliver(self, _, start, size):
        self.busy = True
        try:
            if os.getpid() != self.process:
                raise Error("after a fork: the writer is that of the parent process")
            data = ctypes.string_at(start, size)
            while data:  # a raw file may take less than all
                data = data[self.file.write(data):]
            return 0
        except BaseException as error:
            self.raised = error
            return _E_SINK
        finally:
            self.busy = False

    def check(self):
        """Raises what has gone wrong since the last time."""
        if self.raised is not None:
            raised, self.raised = self.raised, None
            self.told = self.problems()
            raise raised
        status = self.lib.get_status(self.w)
        if status and self.told != self.problems():
            first = self.told is None
            self.told = self.problems()
            text = self.lib.status_text(status).decode()
            raise Error(text if first else "refused; the first problem was: " + text)

    def problems(self):
        counts = self.lib.count(self.w)
        return counts.dropped + counts.refused

    def end(self):
        if os.getpid() != self.process:
            return  # after a fork: the trace is the parent's
        try:
            self.lib.finish(self.w)
            self.check()
        finally:
            if self.descriptor is not None:
                os.close(self.descriptor)


class Writer:
    """Writes a trace to a path or a binary file.  It is ended by close, by `with`, or when it dies: what is open ends
    then.  Names are text; what the format cannot represent in them (quotes, newlines, commas) is written as _.

    `time` is in seconds from the start of the trace, a number of any kind; None: now, since the Writer was made.
    `fields`: a dictionary of user fields, whose values are int, float or text.
    What would make the trace invalid is refused (Error): a type that is not defined, a pop of no state, a time that
    goes back.  `table` is how many things can be followed for that: types, containers, values, open states, links."""

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
        """Hands what was written to the file."""
        self._ready()
        self._lib.flush(self._w)
        self._context.check()

    # ---- definitions; they answer what names them in the other calls

    def define_container_type(self, name, parent=root_type):
        return self._define(_CONTAINER_TYPE, name, parent)

    def define_state_type(self, name, of):
        return self._define(_STATE_TYPE, name, of)

    def define_event_type(self, name, of):
        return self._define(_EVENT_TYPE, name, of)

    def define_variable_type(self, name, of, color=None):
        return self._define(_VARIABLE_TYPE, name, of, color=_bytes(color))

    def define_link_type(self, name, start, end, of=root_type):
        """`of`: the type of the containers that bear such links."""
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
        """The state is open within `with`."""
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
        """`key`, an int or text, is the same at both ends, and used once."""
        self._write(_START_LINK, time, fields, container=container, type=type, value=value, other=start, **_key(key))

    def end_link(self, type, value, end, key, container=root, time=None, fields=None):
        self._write(_END_LINK, time, fields, container=container, type=type, value=value, other=end, **_key(key))

    # ---- within

    def _ready(self):
        if self._context.busy:
            raise Error("called from within its own file, or by two threads at once")
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
        self._ready()
        event = _Event(kind=kind, time=_NOW if time is None else self._ticks(time), **members)
        line = ctypes.byref(self._line_fields(kind, fields)) if fields else None
        self._lib.write(self._w, ctypes.byref(event), line)
        self._context.check()

    def _ticks(self, time):
        ticks = round(time * self._per_second)
        if ticks < 0:
            raise ValueError("time is before the start of the trace")
        return _integer(ticks + self._context.config.origin, 0)

    def _line_fields(self, kind, fields):
        """The first line with such fields defines them."""
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
