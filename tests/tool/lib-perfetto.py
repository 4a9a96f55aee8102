"""PAJE FOLDER NAME OPTIONS TRACE [NAME OPTIONS TRACE]...: what `paje perfetto` writes has the fields of Perfetto's public
.proto files and the entities of the tables of `paje csv`, once it is sorted by time as Perfetto does.
PAJE tree TRACE: prints the tracks, each below its parent and in the order of their ranks."""
import collections
import json
import re
import shutil
import struct
import subprocess
import sys

from cases import case, run
from entities import expected, rows, without_times
import cases

# By message and number of a field: its name, and its type: a message, or how it is encoded; * for repeated ones.
FIELDS = {
    "Trace": {1: "packet TracePacket*"},
    "TracePacket": {6: "clock_snapshot ClockSnapshot", 8: "timestamp varint", 10: "trusted_packet_sequence_id varint",
                    11: "track_event TrackEvent", 12: "interned_data InternedData", 13: "sequence_flags varint",
                    58: "timestamp_clock_id varint", 59: "trace_packet_defaults TracePacketDefaults",
                    60: "track_descriptor TrackDescriptor", 87: "first_packet_on_sequence varint"},
    "TracePacketDefaults": {58: "timestamp_clock_id varint"},
    "ClockSnapshot": {1: "clocks Clock*", 2: "primary_trace_clock varint"},
    "Clock": {1: "clock_id varint", 2: "timestamp varint", 3: "is_incremental varint"},
    "TrackDescriptor": {1: "uuid varint", 2: "name string", 5: "parent_uuid varint", 8: "counter CounterDescriptor",
                        11: "child_ordering varint", 12: "sibling_order_rank varint", 14: "description string",
                        15: "sibling_merge_behavior varint"},
    "CounterDescriptor": {},
    "TrackEvent": {3: "category_iids varint*", 4: "debug_annotations DebugAnnotation*", 9: "type varint",
                   10: "name_iid varint", 11: "track_uuid varint", 23: "name string", 30: "counter_value varint",
                   44: "double_counter_value double", 47: "flow_ids fixed64*", 48: "terminating_flow_ids fixed64*"},
    "DebugAnnotation": {1: "name_iid varint", 4: "int_value varint", 5: "double_value double", 6: "string_value string"},
    "InternedData": {1: "event_categories Name*", 2: "event_names Name*", 3: "debug_annotation_names Name*"},
    "Name": {1: "iid varint", 2: "name string"},
}
WIRE = {"varint": 0, "double": 1, "fixed64": 1}
BOOTTIME, DELTAS, CLEARED, NEEDS_STATE, EXPLICIT, NO_MERGE = 6, 64, 1, 2, 3, 2
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            assert number < 2 ** 64 and (data[at - 1] or shift == 7), "a number that is too long"
            return number, at


def decode(message, data):
    """A dictionary of what is there; each field that is not repeated comes once."""
    known, found, at = FIELDS[message], {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        name, of = known[tag >> 3].split()
        kind = of.rstrip("*")
        assert tag & 7 == WIRE.get(kind, 2), (message, name, "another wire type")
        if kind == "varint":
            value, at = varint(data, at)
        elif tag & 7 == 1:
            value, at = struct.unpack("<d" if kind == "double" else "<Q", data[at:at + 8])[0], at + 8
        else:
            size, at = varint(data, at)
            assert at + size <= len(data), "a message that is cut off"
            value, at = data[at:at + size], at + size
            value = value.decode() if kind == "string" else decode(kind, value)
        if of.endswith("*"):
            found.setdefault(name, []).append(value)
        else:
            assert name not in found, (message, name, "comes twice")
            found[name] = value
    return found


def signed(number):
    return number - 2 ** 64 if number >= 2 ** 63 else number


def events_of(data, tracks):
    """The events with their times and names, in the order of the file; fills `tracks`, which come before their events."""
    packets = decode("Trace", data)["packet"]
    names = collections.defaultdict(dict)
    first, clock, snapshot = packets[0], 0, {}
    assert first["sequence_flags"] == CLEARED and first["first_packet_on_sequence"], first
    for one in first["clock_snapshot"]["clocks"]:
        snapshot[one["clock_id"]] = one["timestamp"], one.get("is_incremental")
    assert snapshot == {BOOTTIME: (0, None), DELTAS: (0, 1)}, snapshot
    assert first["trace_packet_defaults"]["timestamp_clock_id"] == DELTAS
    for packet in packets[1:]:
        if "track_descriptor" in packet:
            track = packet["track_descriptor"]
            assert track["uuid"] not in tracks and track.get("parent_uuid", 1) in {1, *tracks}, track
            assert track["sibling_merge_behavior"] == NO_MERGE and 0 <= track["sibling_order_rank"] < 2 ** 31
            assert "counter" in track or track["child_ordering"] == EXPLICIT
            tracks[track["uuid"]] = track
            continue
        assert packet["trusted_packet_sequence_id"] == 1 and packet["sequence_flags"] == NEEDS_STATE
        for kind, entries in packet.get("interned_data", {}).items():
            for entry in entries:
                assert entry["iid"] not in names[kind] and entry["iid"] > 0, entry
                names[kind][entry["iid"]] = entry["name"]
        event, time = packet["track_event"], packet["timestamp"]
        if "timestamp_clock_id" in packet:
            assert packet["timestamp_clock_id"] == BOOTTIME
        else:
            time = clock = clock + time
        assert 0 <= time < 2 ** 63 and event["track_uuid"] in tracks
        event["time"], event["file"] = time, len(packets)
        if "name_iid" in event:
            event["name"] = names["event_names"][event["name_iid"]]
        event["category"] = [names["event_categories"][iid] for iid in event.get("category_iids", [])]
        event["args"] = {}
        for one in event.get("debug_annotations", []):
            name = names["debug_annotation_names"][one["name_iid"]]
            assert name not in event["args"], ("a field comes twice", name)
            event["args"][name] = one["string_value"] if "string_value" in one else float(
                one["double_value"] if "double_value" in one else signed(one["int_value"]))
        yield event


def path_of(tracks, uuid):
    names = []
    while "parent_uuid" in tracks[uuid]:
        names.append(tracks[uuid]["name"].replace("\\", "\\\\").replace("/", "\\/"))
        uuid = tracks[uuid]["parent_uuid"]
    return "".join("/" + name for name in reversed(names)) or "/"


FIRST_CONTAINER = 1 << 24


def container_of(tracks, uuid):
    track = tracks[uuid]
    return uuid if track["sibling_order_rank"] >= FIRST_CONTAINER else track["parent_uuid"]


class Seen:
    """The entities as Perfetto's importer sees them: events in order of time, and of the file where that is the same."""

    def __init__(self, data):
        self.tracks, self.entities, self.links = {}, collections.Counter(), collections.Counter()
        self.args = collections.Counter()
        stacks, flows = collections.defaultdict(list), {}
        for e in sorted(events_of(data, self.tracks), key=lambda e: e["time"]):
            track, time, kind = e["track_uuid"], e["time"], e["type"]
            path = path_of(self.tracks, container_of(self.tracks, track))
            assert ("counter" in self.tracks[track]) == (kind == COUNTER), e
            assert len(e["category"]) == (kind in (BEGIN, INSTANT)), e
            if kind == BEGIN:
                stacks[track].append((time, e["category"][0], e["name"]))
                self.add_args("states opening", e)
            elif kind == END:
                start, of, name = stacks[track].pop()
                self.entities["State", path, of, start, time, len(stacks[track]), name] += 1
                self.add_args("states closing", e)
            elif kind == COUNTER:
                value = e["double_counter_value"] if "double_counter_value" in e else signed(e["counter_value"])
                self.entities["Variable", path, self.tracks[track]["name"], time, float(value)] += 1
            elif "flow_ids" not in e and "terminating_flow_ids" not in e:
                assert self.tracks[track]["name"] == e["category"][0]
                self.entities["Event", path, e["category"][0], time, e["name"]] += 1
                self.add_args("events opening", e)
            else:
                (flow,) = e.get("flow_ids", []) + e.get("terminating_flow_ids", [])
                begun = flows.pop(flow, None)
                assert begun or "flow_ids" in e, ("a flow is lost", e)
                if not begun:
                    flows[flow] = e, path
                    continue
                # What comes first in the file is the start of the link.
                start, end = ((begun, (e, path)) if "terminating_flow_ids" in e else ((e, path), begun))
                self.entities["Link", e["category"][0], start[1], end[1], start[0]["time"], end[0]["time"]] += 1
                self.links[e["category"][0], e["name"]] += 1
                self.add_args("links opening", start[0])
                self.add_args("links closing", end[0])
        assert not any(stacks.values()) and not flows, "slices or flows that do not end"

    def add_args(self, where, event):
        if event["args"]:
            self.args[where, tuple(sorted((name, plain(text)) for name, text in event["args"].items()))] += 1


def plain(text):
    """Numbers as numbers, as the types of the fields are not in the tables."""
    return float(text) if isinstance(text, str) and re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?",
                                                                 text) else text


def expected_args(folder):
    args = collections.Counter()
    for kind in "states", "events", "links":
        for row in rows(folder, kind):
            opening, closing = (json.loads(row[column] or "{}") for column in ("Opening", "Closing"))
            if kind == "states":
                closing = {name + " (end)" * (name in opening): text for name, text in closing.items()}
            for column, fields in ("opening", opening), ("closing", closing):
                if fields and (kind, column) != ("events", "closing"):
                    args[kind + " " + column, tuple(sorted((name, plain(text)) for name, text in fields.items()))] += 1
    return args


def difference(expected_ones, got):
    return list((expected_ones - got).items())[:2], list((got - expected_ones).items())[:2]


def print_tree(tracks, parent=None, depth=0):
    for track in sorted((t for t in tracks.values() if t.get("parent_uuid") == parent),
                        key=lambda t: t["sibling_order_rank"]):
        print("  " * depth + track["name"] + (" #" if "counter" in track else ""))
        print_tree(tracks, track["uuid"], depth + 1)


def main():
    tool, folder, *traces = sys.argv[1:]
    if folder == "tree":
        seen = Seen(run(tool, "perfetto", *traces).stdout)
        print_tree(seen.tracks)
        return
    for name, options, trace in zip(traces[::3], traces[1::3], traces[2::3]):
        @case(name)
        def _():
            run(tool, "csv", "-u", "-d", folder, *options.split("|")[1:], trace)
            answer = run(tool, "perfetto", *options.split("|")[1:], *([] if "--unit" in options else ["--unit", "s"]),
                         trace)
            seen, entities = Seen(answer.stdout), expected(folder)
            entities = collections.Counter({one: count for one, count in entities.items()
                                            if one[0] != "Variable" or one[4] == one[4]})
            got = seen.entities
            if b"began or ended before" in answer.stderr or b"before 0" in answer.stderr:
                got, entities = without_times(got), without_times(entities)
            assert got == entities, difference(entities, got)
            values = collections.Counter((row["Type"], row["Value"]) for row in rows(folder, "links"))
            assert seen.links == values, difference(values, seen.links)
            args = expected_args(folder)
            assert seen.args == args, difference(args, seen.args)
            paths = collections.Counter(path_of(seen.tracks, uuid) for uuid, track in seen.tracks.items()
                                        if track["sibling_order_rank"] >= FIRST_CONTAINER)
            for row in rows(folder, "containers"):
                assert paths[row["Path"]] > 0, ("no track for a container", row["Path"])
            if shutil.which("protoc"):
                text = subprocess.run(["protoc", "--decode_raw"], input=answer.stdout, capture_output=True, check=True)
                packets = len(decode("Trace", answer.stdout)["packet"])
                assert sum(line == b"1 {" for line in text.stdout.split(b"\n")) == packets
    sys.exit(cases.failed)


main()
