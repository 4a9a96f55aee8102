"""PAJE FOLDER TRACE...: examples/bindings/python/paje."""
import contextlib
import gc
import io
import os
import sys
import threading
import time
import weakref

from cases import case, dump, run, same, short
import cases

sys.path.insert(0, "examples/bindings/python")
import paje
import paje.reader

tool, folder, *traces = sys.argv[1:]


@contextlib.contextmanager
def raises(kind, text=""):
    try:
        yield
    except kind as error:
        assert text in str(error), "`%s` is not in `%s`" % (text, error)
    else:
        raise AssertionError("no %s" % kind.__name__)


def name(container):
    return container.name if container else "0"


def dumped(entity):
    """The line of `paje dump -l 9`."""
    form = "%g" if entity.kind == "Container" else "%.9f"
    line = [entity.kind, name(entity.container.parent if entity.kind == "Container" else entity.container),
            entity.type.name, form % entity.start]
    if entity.kind != "Event":
        line += [form % entity.end, form % entity.duration]
    if entity.kind == "Container":
        line.append(entity.container.name)
    elif entity.kind == "State":
        line += ["%.9f" % entity.imbrication, entity.value]
    elif entity.kind == "Variable":
        line.append("%.9f" % entity.value)
    else:
        line.append(entity.value)
    if entity.kind == "Link":
        line += [name(entity.start_container), name(entity.end_container), entity.key]
    return ", ".join(line).encode("utf-8", "surrogateescape")


header = open("tests/tool/header.trace", "rb").read()
body = open("tests/tool/body.trace", "rb").read()


# ---- replaying

for trace in traces:
    @case("as dump: " + short(trace))
    def _():
        def opener(name):  # a trace may miss some of its files
            try:
                return paje.reader._opener(trace)(name)
            except FileNotFoundError:
                return io.BytesIO()
        same(dump(tool, trace, "-l", "9"), sorted(map(dumped, paje.entities(trace, opener=opener))))


class Log:
    """Each callback, with what it was given."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, called):
        if called.startswith("_") or called in ("definition", "line"):
            raise AttributeError
        return lambda *given: self.calls.append((called, *given))


@case("all callbacks, with what they are given")
def _():
    log = Log()
    simulation = paje.replay(io.BytesIO(header + body + b"77 90 of no kind\n7 91 H nobody\n"), log)
    called = {call[0] for call in log.calls}
    missing = set(paje.reader._ENTRIES) - {"definition", "line"} - called
    assert missing <= {"state_reset", "variable_updated"}, missing
    assert log.calls[-1] == ("finished",)
    problems = [call[1] for call in log.calls if call[0] == "problem"]
    assert [one.severity for one in problems] == ["error", "error"], problems
    assert problems[0].line == len((header + body).splitlines()) + 1 and problems[0].bytes == "77", problems
    link = [call[1] for call in log.calls if call[0] == "link_completed"][0]
    assert (link.opening, link.closing, link.key) == ({"Size": "640"}, {"Tag": "tagged"}, "k 1"), link
    assert link.start_container.path == "/Host one/Thread one", link
    assert [call[1].end for call in log.calls if call[0] == "link_started"] == [None]
    value = [call[1] for call in log.calls if call[0] == "new_value"][0]
    assert (value.type.kind, value.implicit) == ("State", False) and value.color, value
    assert simulation.counts()["errors"] == 2


@case("bytes one by one, of any type")
def _():
    whole, collector = sorted(map(dumped, paje.entities(io.BytesIO(header + body)))), paje.reader._Collector()
    simulation = paje.Simulation(collector)
    for i, byte in enumerate(header + body):
        simulation.feed((bytes, bytearray, memoryview)[i % 3](bytes([byte])))
    assert simulation.finish() and sorted(map(dumped, collector.entities)) == whole
    for wrong in "text", 5, None:
        with raises(TypeError):
            paje.Simulation(None).feed(wrong)


@case("an arena that grows while it replays")
def _():
    lines = [b"0 T 0 Thread\n1 S T State\n", *(b"6 0 c%d T 0 %s 1\n" % (i, b"n" * 200) for i in range(5000))]
    assert sum(1 for _ in paje.entities(io.BytesIO(header + b"".join(lines)))) == 5001
    long = header + b'0 T 0 Thread\n2 E T Event\n6 0 c T 0 c 1\n30 1 E c "' + b"x" * 300000 + b'" 1 1\n'
    assert [len(e.value) for e in paje.entities(io.BytesIO(long)) if e.kind == "Event"] == [300000]


@case("an exception in a callback comes out of feed, and ends it")
def _():
    class Handler:
        calls = 0

        def closed(self, entity):
            self.calls += 1
            raise self.error("of mine")

        event = closed  # on the same line

    for error in LookupError, KeyboardInterrupt, SystemExit:
        handler = Handler()
        handler.error = error
        simulation = paje.Simulation(handler)
        with raises(error, "of mine"):
            simulation.feed(header + body)
        assert handler.calls == 1, handler.calls
        for call in simulation.finish, lambda: simulation.feed(b"\n"):
            with raises(paje.Error, "an exception has ended"):
                call()
        assert simulation.counts()["lines"] > 0
    with raises(AttributeError, "'NoneType' object has no attribute 'nothing'"):
        paje.replay(io.BytesIO(header + body), type("", (), {"finished": lambda self: None.nothing})())


@case("an exception at the end of a trace without newline")
def _():
    class Handler:
        def event(self, entity):
            raise LookupError
    with raises(LookupError):
        paje.replay(io.BytesIO(header + b"2 E 0 Event\n30 1 E 0 it 1 1"), Handler())


@case("a callback that stops")
def _():
    class Handler:
        seen = 0

        def state_set(self, entity):
            self.seen += 1
            return paje.STOP
    handler = Handler()
    simulation = paje.Simulation(handler)
    assert simulation.feed(header) and not simulation.feed(b"0 T 0 T\n1 S T S\n6 0 t T 0 t 1\n" + b"10 1 S t a 1\n" * 9)
    assert handler.seen == 1 and simulation.counts()["events"] == 4, simulation.counts()
    assert not simulation.feed(b"10 2 S t a 1\n") and handler.seen == 1
    assert simulation.finish()


@case("calls from within a callback, and from another thread")
def _():
    told = []

    class Handler:
        def closed(self, entity):
            for call in simulation.finish, lambda: simulation.feed(b"# x\n"):
                for runner in (lambda call: call()), in_thread:
                    try:
                        runner(call)
                    except paje.Error as error:
                        told.append(str(error))
            assert simulation.counts()["lines"] and simulation.line

    def in_thread(call):
        errors = []

        def body():
            try:
                call()
            except paje.Error as error:
                errors.append(error)
        thread = threading.Thread(target=body)
        thread.start()
        thread.join()
        raise errors[0]
    simulation = paje.Simulation(Handler())
    simulation.feed(header + b"2 E 0 Event\n30 1 E 0 it 1 1\n")
    assert told == ["called from within a callback"] * 4, told
    simulation.finish()
    with raises(paje.Error, "fed after finish"):
        simulation.feed(b"# x\n")


@case("what was given stays what it was")
def _():
    kept = []

    class Handler:
        closed = event = new_type = new_value = problem = container_destroyed = lambda self, it: kept.append(it)
    paje.replay(io.BytesIO(header + body + b"x\n"), Handler())
    before = repr([[getattr(it, name) for name in it.__slots__] for it in kept])
    gc.collect()
    blocks = [bytearray(b"\xa5" * size) for size in (1 << 10, 1 << 13, 1 << 16) for _ in range(100)]
    assert repr([[getattr(it, name) for name in it.__slots__] for it in kept]) == before and blocks


@case("a destroyed container keeps its path, though its place is taken")
def _():
    text = header + b"0 H 0 Host\n0 T H Thread\n4 L 0 T T Message\n6 0 h H 0 host 1\n6 0 a T h a 1\n" \
        b"40 1 L 0 a m k 1\n7 2 H h\n6 3 g H 0 other 1\n6 3 c T g c 1\n41 4 L 0 c m k x\n"
    link, = (e for e in paje.entities(io.BytesIO(text)) if e.kind == "Link")
    assert (link.start_container.path, link.end_container.path) == ("/host/a", "/other/c"), link
    text = header + b"0 H 0 Host\n2 E H Event\n" + b"".join(
        b"6 %d c%d H 0 host%d 1\n30 %d E c%d it 1 1\n7 %d H c%d\n" % ((i,) * 7) for i in range(500))
    names = [e.container.name for e in paje.entities(io.BytesIO(text)) if e.kind == "Event"]
    assert names == ["host%d" % i for i in range(500)], names[-5:]


@case("types within one another")
def _():
    class Values:
        def new_value(self, value):
            self.type = value.type

    handler = Values()
    types = b"".join(b"0 T%d T%d T%d\n" % (i, i - 1, i) for i in range(1, 3000))
    paje.replay(io.BytesIO(header + b"0 T0 0 T0\n" + types + b"1 S T2999 S\n5 v S value 1,0,0\n"), handler)
    assert handler.type.parent.name == "T2999" and handler.type.parent.parent.name == "T2998", handler.type


@case("a simulation that dies, also half-way, is freed")
def _():
    gc.collect()
    gone = []
    for data in header, header + body, b"":
        simulation = paje.Simulation(paje.reader._Collector())
        simulation.feed(data)
        gone.append(weakref.ref(simulation))
        del simulation
    gc.collect()
    assert not any(one() for one in gone)
    before = len(gc.get_objects())
    for _ in range(50):
        next(paje.entities(io.BytesIO(header + body)))
        paje.replay(io.BytesIO(header + body), None)
    gc.collect()
    assert len(gc.get_objects()) < before + 500, len(gc.get_objects()) - before


@case("files within the trace, of its folder only")
def _():
    with open(folder + "/inner.trace", "wb") as file:
        file.write(b"30 1 E 0 inner 1 1\n30 2 E 0 last 1 1")
    outer = b"%EventDef PajeTraceFile 50\n% Container string\n% Type string\n% Filename string\n%EndEventDef\n"
    for inside in "inner.trace", "../../tool/header.trace":
        with open(folder + "/outer.trace", "wb") as file:
            file.write(header + outer + b"2 E 0 Event\n50 0 0 %s\n30 3 E 0 after 1 1\n" % inside.encode())
        try:
            got = [e.value for e in paje.entities(folder + "/outer.trace") if e.kind == "Event"]
            assert got == ["inner", "last", "after"], got
        except paje.Error as error:
            assert inside.startswith("..") and "outside of its folder" in str(error), error
    with raises(FileNotFoundError):
        os.remove(folder + "/inner.trace")
        with open(folder + "/outer.trace", "wb") as file:
            file.write(header + outer + b"2 E 0 Event\n50 0 0 inner.trace\n")
        paje.replay(folder + "/outer.trace", None)
    with raises(paje.Error, "there is no opener"), open(folder + "/outer.trace", "rb") as file:
        paje.replay(file, None)


@case("bytes that are no UTF-8 come back as they were")
def _():
    text = header + b'2 E 0 "a \xff b"\n30 1 E 0 "\xc3" 1 1\n'
    event, = (e for e in paje.entities(io.BytesIO(text)) if e.kind == "Event")
    assert event.value.encode("utf-8", "surrogateescape") == b"\xc3"
    with raises(UnicodeEncodeError):
        event.value.encode()


@case("strict; options that are none")
def _():
    text = header + b"0 T 0 T\n6 0 t T 0 t 1\n3 V T V 1\n21 1 V t 5 x 1\n"
    assert paje.replay(io.BytesIO(text), None).counts()["errors"] < \
        paje.replay(io.BytesIO(text), None, strict=True).counts()["errors"]
    with raises(TypeError):
        paje.Simulation(None, strickt=True)


# ---- writing

def defined(w):
    w.thread = w.define_container_type("Thread")
    w.activity = w.define_state_type("Activity", w.thread)
    w.working = w.define_value("working", w.activity, "0.2 0.7 0.3")
    w.mark = w.define_event_type("Mark", w.thread)
    w.here = w.define_value("here", w.mark)
    w.load = w.define_variable_type("Load", w.thread, "33cc33")
    w.message = w.define_link_type("Message", w.thread, w.thread)
    w.data = w.define_value("data", w.message)
    w.me = w.create_container("me", w.thread, time=0)
    return w


def written(data):
    """Checks that a strict reader accepts it; returns the lines of its dump."""
    answer = run(tool, "validate", "--strict", "-", data=data)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return [line.decode() for line in dump(tool, "-", "-l", "9", data=data)]


@case("one of everything, with times and user fields")
def _():
    file = io.BytesIO()
    with paje.Writer(file) as w:
        defined(w)
        you = w.create_container("you", w.thread, time=0.5)
        w.set_state(w.me, w.activity, w.working, time=1, fields={"Size": -640, "Note": "it's, \"so\"", "Share": 0.1})
        w.push_state(w.me, w.activity, w.working, time=2)
        w.pop_state(w.me, w.activity, time=3)
        w.set_variable(w.me, w.load, 2 ** 53, time=1)
        w.add_variable(w.me, w.load, 0.5, time=1.5)
        w.sub_variable(w.me, w.load, 2 ** 53, time=2)
        w.start_link(w.message, w.data, w.me, 2 ** 64 - 1, time=2)
        w.start_link(w.message, w.data, you, "text", time=2)
        w.end_link(w.message, w.data, you, 2 ** 64 - 1, time=3)
        w.end_link(w.message, w.data, w.me, "text", time=3)
        w.new_event(you, w.mark, w.here, time=2.25)
        w.reset_state(w.me, w.activity, time=4)
        w.destroy_container(you, time=5)
    lines = written(file.getvalue())
    assert "State, me, Activity, 1.000000000, 4.000000000, 3.000000000, 0.000000000, working" in lines, lines
    assert "State, me, Activity, 2.000000000, 3.000000000, 1.000000000, 1.000000000, working" in lines, lines
    assert any(line.startswith("Link, 0, ") and line.endswith(", me, you, 18446744073709551615") for line in lines), lines
    assert "Event, you, Mark, 2.250000000, here" in lines and len(lines) == 11, lines
    state, = (e for e in paje.entities(io.BytesIO(file.getvalue())) if e.opening)
    assert state.opening == {"Size": "-640", "Note": "it_s_ _so_", "Share": "0.1"}, state.opening


@case("a writer that is used wrongly")
def _():
    file = io.BytesIO()
    with paje.Writer(file) as w:
        defined(w)
        for wrong in (w.activity, w.me, w.working), (w.me, w.working, w.activity), (w.me, w.activity, 1):
            with raises(TypeError):
                w.push_state(*wrong)
        for error, text, call in (
                (paje.Error, "no state to pop", lambda: w.pop_state(w.me, w.activity, time=1)),
                (paje.Error, "the first problem was: no state to pop", lambda: w.pop_state(w.me, w.activity, time=1)),
                (paje.Error, "refused", lambda: w.push_state(w.me, w.load, w.working, time=1)),
                (paje.Error, "refused", lambda: w.set_variable(w.me, w.load, float("nan"), time=1)),
                (OverflowError, "64 bits", lambda: w.set_variable(w.me, w.load, 2 ** 63, time=1)),
                (OverflowError, "64 bits", lambda: w.start_link(w.message, w.data, w.me, 2 ** 64, time=1)),
                (OverflowError, "64 bits", lambda: w.new_event(w.me, w.mark, w.here, time=2 ** 64)),
                (OverflowError, "infinity", lambda: w.new_event(w.me, w.mark, w.here, time=float("inf"))),
                (ValueError, "before the start", lambda: w.new_event(w.me, w.mark, w.here, time=-1)),
                (OverflowError, "64 bits", lambda: w.new_event(w.me, w.mark, w.here, time=1, fields={"N": 2 ** 63})),
                (paje.Error, "refused", lambda: w.new_event(w.me, w.mark, w.here, time=1, fields={"a b": 1})),
                (ValueError, "NUL", lambda: w.define_container_type("cut\0off")),
                (TypeError, "", lambda: w.define_container_type(5))):
            with raises(error, text):
                call()
        w.new_event(w.me, w.mark, w.here, time=1)  # all of which did no harm
        w.new_event(w.me, w.mark, w.here, time=1, fields={"N": 5})
    assert len(written(file.getvalue())) == 4
    for call in w.flush, lambda: w.set_variable(w.me, w.load, 1):
        with raises(paje.Error, "closed"):
            call()
    w.close()
    for wrong in {"decimals": 0}, {"table": 1}:
        with raises((ValueError, paje.Error)):
            paje.Writer(io.BytesIO(), **wrong)


@case("any number of decimals: times of the clock, which begin at 0, and times that are given")
def _():
    for decimals in range(1, 10):
        file = io.BytesIO()
        with paje.Writer(file, decimals=decimals) as w:
            defined(w)
            w.create_container("now", w.me.of)
            w.push_state(w.me, w.activity, w.working, time=3600)
            w.pop_state(w.me, w.activity, time=3601.5)
        entities = list(paje.entities(io.BytesIO(file.getvalue()), strict=True))
        times = [(one.start, one.end) for one in entities if one.kind == "State"]
        begun = [one.start for one in entities if one.kind == "Container" and one.container.name == "now"]
        assert times == [(3600, 3601.5)] and len(begun) == 1 and 0 <= begun[0] < 600, (decimals, times, begun)


@case("an exception within `with`: the trace is ended, the exception goes on")
def _():
    file = io.BytesIO()
    with raises(LookupError), paje.Writer(file) as w:
        defined(w)
        with w.state(w.me, w.activity, w.working):
            raise LookupError
    assert any(line.startswith("State, me") for line in written(file.getvalue()))


@case("a writer that dies before it is closed")
def _():
    for file in io.BytesIO(), folder + "/dies.trace":
        w = defined(paje.Writer(file))
        w.push_state(w.me, w.activity, w.working, time=1)
        w.new_event(w.me, w.mark, w.here, time=2)
        del w
        gc.collect()
        data = file.getvalue() if hasattr(file, "write") else open(file, "rb").read()
        assert any(line.startswith("State, me, Activity, 1.000000000, 2.0") for line in written(data))
    program = "import sys; sys.path.insert(0, 'examples/bindings/python'); import paje; w = paje.Writer(sys.argv[1]);" \
        "t = w.define_container_type('T'); c = w.create_container('c', t)"
    for ending in "", "; raise LookupError", "; sys.exit(3)":
        run(sys.executable, "-B", "-c", program + ending, folder + "/exit.trace")
        assert len(written(open(folder + "/exit.trace", "rb").read())) == 2, ending


@case("a fork: the trace is the parent's")
def _():
    w, in_memory = defined(paje.Writer(folder + "/fork.trace")), defined(paje.Writer(io.BytesIO()))
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(Exception):
            w.new_event(w.me, w.mark, w.here, time=1)
            w.close()
            status = 0
            with raises(paje.Error, "parent process"):
                status = 2
                in_memory.flush()
            status = 0
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    w.new_event(w.me, w.mark, w.here, time=2)
    w.close()
    lines = written(open(folder + "/fork.trace", "rb").read())
    assert [line for line in lines if line.startswith("Event")] == ["Event, me, Mark, 2.000000000, here"], lines


@case("files that fail")
def _():
    class Full(io.RawIOBase):
        room = 100

        def write(self, data):
            if not self.room:
                raise OSError(28, "No space left on device")
            size = min(self.room, len(data), 7)
            self.room -= size
            return size
    with raises(OSError, "No space"), paje.Writer(Full()) as w:
        defined(w)
    with raises(FileNotFoundError):
        paje.Writer(folder + "/nowhere/t.trace")
    if os.path.exists("/dev/full"):
        with raises(paje.Error, "the sink failed"), paje.Writer("/dev/full") as w:
            defined(w)


@case("a file that calls the writer")
def _():
    told = []

    class File(io.BytesIO):
        def write(self, data):
            with raises(paje.Error, "within its own file"):
                w.new_event(w.me, w.mark, w.here)
            told.append(len(data))
            return super().write(data)
    file = File()
    with paje.Writer(file) as w:
        defined(w)
        for i in range(10000):
            w.new_event(w.me, w.mark, w.here, time=i)
    assert len(told) > 1 and len(written(file.getvalue())) == 10002


def by_threads(w, count):
    """Several threads write events by turns; returns what they have raised."""
    raised = []

    def body():
        try:
            for _ in range(count):
                w.new_event(w.me, w.mark, w.here)
        except Exception as error:
            raised.append(error)
    threads = [threading.Thread(target=body) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


@case("threads share a writer, of a file that lets others run")
def _():
    class Slow(io.BytesIO):
        def write(self, data):
            time.sleep(0.001)
            return super().write(data)
    file = Slow()
    with paje.Writer(file) as w:
        defined(w)
        assert by_threads(w, 10000) == []
    assert len(written(file.getvalue())) == 30002


@case("threads share a writer, of a pipe that one of them reads")
def _():
    path, read = folder + "/pipe", []
    os.mkfifo(path)

    def body():
        with open(path, "rb") as pipe:
            while data := pipe.read(4096):
                read.append(data)
    reader = threading.Thread(target=body)
    reader.start()
    with paje.Writer(path) as w:
        defined(w)
        assert by_threads(w, 10000) == []
    reader.join()
    assert len(written(b"".join(read))) == 30002


@case("what is worse is told after a call that was refused, too")
def _():
    def refused(w):
        defined(w)
        with raises(paje.Error, "no state to pop"):
            w.pop_state(w.me, w.activity)
        with raises(paje.Error, "refused; the first problem was: no state to pop"):
            w.pop_state(w.me, w.activity)
    with paje.Writer(io.BytesIO(), table=32) as w:
        refused(w)
        with raises(paje.Error, "the table is full"):
            for i in range(100):
                w.create_container("c%d" % i, w.thread, time=1)
        w.create_container("last", w.thread, time=1)  # told once
    if os.path.exists("/dev/full"):
        w = paje.Writer("/dev/full")
        refused(w)
        with raises(paje.Error, "the sink failed"):
            w.close()


@case("more than the table can follow")
def _():
    file = io.BytesIO()
    with raises(paje.Error, "the table is full"), paje.Writer(file, table=16) as w:
        defined(w)
        for i in range(20):
            w.create_container("c%d" % i, w.thread, time=1)
    file = io.BytesIO()
    with contextlib.suppress(paje.Error), paje.Writer(file, table=16) as w:
        defined(w)
    with paje.Writer(io.BytesIO(), table=64) as w:  # links that are past make room
        defined(w)
        for i in range(1000):
            w.start_link(w.message, w.data, w.me, i, time=i)
            w.end_link(w.message, w.data, w.me, i, time=i)


@case("what is read can be written: text of any bytes")
def _():
    file = io.BytesIO()
    names = ["é", "\udcff\udcfe", "\udcff", "", " blank ", "\\", "</script>", "x" * 1000]
    with paje.Writer(file) as w:
        thread = w.define_container_type("T")
        for one in names:
            w.create_container(one, thread, time=0)
    got = [e.container.name for e in paje.entities(io.BytesIO(file.getvalue()), strict=True) if e.container.parent]
    assert sorted(got) == sorted(one or "_" for one in names), got


sys.exit(cases.failed)
