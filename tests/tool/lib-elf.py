"""PAJE FOLDER: names of functions and places, which `paje merge` looks up in ELF files when it merges what `paje trace`
has kept.  The files are forged here, so that each table and each limit is known."""
import os
import shlex
import struct
import sys

from cases import case, run
import cases

tool, folder, kept = sys.argv[1:]
LOAD, UNWIND = 1, 0x6474e550  # types of program headers
FUNC, OBJECT = 2, 1  # types of symbols
BASE, SECOND, BEYOND = 0x401000, 0x600000, 0x700000
raw = next(os.path.join(kept, name) for name in os.listdir(kept) if name.endswith(".raw"))


def leb(number, is_signed=False):
    out = b""
    while True:
        byte, number = number & 0x7f, number >> 7
        if number == 0 and not (is_signed and byte & 0x40) or is_signed and number == -1 and byte & 0x40:
            return out + bytes([byte])
        out += bytes([byte | 0x80])


def part(version, folders, files, code, operands=(0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1), is_long=False, lines=12, more=0):
    """A part of .debug_line: line base -3, line range `lines`; `is_long`: with sizes of eight bytes (64-bit DWARF); its
    head is said to be longer by `more`."""
    middle = bytes([1]) + (bytes([1]) if version >= 4 else b"") + bytes([1, 0xfd, lines, len(operands) + 1]) + bytes(operands)
    if version >= 5:
        middle += bytes([1, 1, 0x08]) + leb(len(folders)) + b"".join(one + b"\0" for one in folders)
        middle += bytes([2, 1, 0x08, 2, 0x0b]) + leb(len(files)) + b"".join(one + b"\0\0" for one in files)
    else:
        middle += b"".join(one + b"\0" for one in folders) + b"\0" + b"".join(one + b"\0\1\0\0" for one in files) + b"\0"
    body = struct.pack("<H", version) + (bytes([8, 0]) if version >= 5 else b"") + struct.pack("<Q" if is_long else "<I", len(middle) + more) + middle + code
    return (struct.pack("<IQ", 0xffffffff, len(body)) if is_long else struct.pack("<I", len(body))) + body


def address(number):
    return bytes([0, 9, 2]) + struct.pack("<Q", number)


def special(lines, more):
    return bytes([13 + 3 + lines + 12 * more])


def part_of_strings(code, form, offset):
    """A part whose file is named in another section, and has fields of all forms."""
    middle = bytes([1, 1, 1, 0xfd, 12, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1]) + bytes([1, 1, 0x1f]) + leb(1) + struct.pack("<I", 1)
    fields = (5, 0x05, b"12"), (5, 0x06, b"1234"), (5, 0x07, b"12345678"), (5, 0x1e, bytes(range(16))), (5, 0x0f, leb(300)), (5, 0x09, leb(3) + b"abc")
    middle += bytes([1 + len(fields), 1, form]) + b"".join(bytes([kind, one]) for kind, one, _ in fields)
    middle += leb(1) + struct.pack("<I", offset) + b"".join(value for _, _, value in fields)
    body = struct.pack("<HBBI", 5, 8, 0, len(middle)) + middle + code
    return struct.pack("<I", len(body)) + body


END = bytes([0, 1, 1])
OF_4 = b"".join((address(BASE + 0x200), bytes([3]) + leb(9, True), special(0, 0), special(3, 4), special(-2, 4), bytes([4]) + leb(2),
            bytes([3]) + leb(100, True), bytes([2]) + leb(4), bytes([1]), bytes([2]) + leb(4), END))
OF_5 = b"".join((address(BASE + 0x300), bytes([4]) + leb(1), bytes([3]) + leb(41, True), bytes([1]), bytes([8]), bytes([3]) + leb(-2, True), bytes([1]),
            bytes([9, 4, 0]), bytes([11]), bytes([12]) + leb(7), bytes([4]) + leb(0), special(0, 0), bytes([9, 4, 0]), END))

OF_3 = b"".join((address(BASE + 0x600), bytes([3]) + leb(2, True), bytes([1]), bytes([9, 4, 0]), bytes([4]) + leb(3), bytes([1]),
                 bytes([9, 4, 0]), bytes([4]) + leb(1), special(5, 0), bytes([9, 4, 0]), END,
                 address(BASE + 0x510), bytes([3]) + leb(60, True), bytes([1]), bytes([9, 0x10, 0]), END,
                 address(BASE + 0x504), bytes([3]) + leb(59, True), bytes([1]), bytes([9, 0xc, 0]), END,  # it ends where one before it begins
                 address(BASE + 0x520), bytes([3]) + leb(69, True), bytes([1]), bytes([9, 0x10, 0]), END,  # it ends where the next one begins
                 address(BASE + 0x530), bytes([3]) + leb(79, True), bytes([1]), bytes([9, 0x10, 0]), END))
OF_ONE = b"".join((address(BASE + 0x560), bytes([1]), bytes([9, 0x10, 0]), END,  # of line 1
                   address(BASE + 0x550), bytes([3]) + leb(89, True), bytes([1]), bytes([9, 0x10, 0]), END))
# Instructions and numbers as compilers seldom write them; the last one is cut.
OF_RARE = b"".join((address(BASE + 0x740), bytes([0, 10, 2]) + bytes([9] * 9), bytes([4, 2, 3]) + leb(200, True), bytes([1, 9, 4, 0, 3, 0x84]) + bytes([0x80] * 9) + bytes([0, 1]),
                    bytes([9, 4, 0]), special(-3, 0), bytes([9, 4, 0, 0, 0, 1, 9, 4, 0]), special(9 - 3, 0), END,  # no code is of the last row
                    address(1 << 63), bytes([3]) + leb(299, True), bytes([1, 9, 4, 0]), END,
                    bytes([3]) + leb(399, True), bytes([1, 9, 8, 0]), END,  # without an address
                    address(BASE + 0x760), bytes([1, 9, 4])))
OF_SIGNS = b"".join((address(BASE + 0x720), bytes([3]) + leb(8, True), bytes([1]), bytes([9, 4, 0]), END))
OF_STRINGS = [address(BASE + at) + bytes([4, 0, 3]) + leb(line, True) + bytes([1, 9, 4, 0]) + END for at, line in ((0x700, 7), (0x710, 8))]
STRINGS, LINE_STRINGS = b"\0in/of-str.c\0", b"\0\0\0of-line-str.c\0"
OF_LONG = b"".join((address(BASE + 0x400), bytes([4]) + leb(1), bytes([3]) + leb(20, True), bytes([1]), bytes([9, 4, 0]), END))
UNKNOWN = bytes([0, 70, 0x81]) + bytes([1]) * 69  # an instruction of 70 bytes
OF_BEHIND = b"".join((address(BASE + 0x500), UNKNOWN, bytes([3]) + leb(6, True), bytes([1]), bytes([9, 4, 0]), END))


def forge(name, headers, told=None, pieces=(), symbols_kind=2, cut=0, names_at=-1, version=None, before=None):
    """Writes an ELF file: a head, pieces, sections, and program headers, which are the last bytes; `cut`: bytes that the
    table of lines has fewer in its section; `names_at`: the section of names, from the last one; `before`: a part of
    that table."""
    strings = b"\0first\0label\0_ZN1a1bEv\0data\0last\0"
    symbols = [(b"first", BASE, 0x10, FUNC), (b"label", BASE + 0x10, 0, FUNC), (b"_ZN1a1bEv", SECOND, 0x100, FUNC),
               (b"data", BASE + 0x30, 0x10, OBJECT), (b"last", SECOND + 0x700, 0x100, FUNC)]
    table = bytes(24) + b"".join(struct.pack("<IBBHQQ", strings.index(b"\0" + text + b"\0") + 1, kind, 0, 1, value, size)
                                 for text, value, size, kind in symbols)
    lines = part(4, [b"folder"], [b"four.c", b"sub/head.h"], OF_4) + part(5, [b"/folder", b"more"], [b"zero.c", b"sub/five.c"], OF_5)
    lines += part(5, [b"/folder"], [b"zero.c", b"long.c"], OF_LONG, is_long=True)
    lines += part(3, [], [b"three.c", b"c"], OF_3) + part_of_strings(OF_STRINGS[0], 0x1f, 3) + part_of_strings(OF_STRINGS[1], 0x0e, 1)
    lines += part(4, [], [b'a/q"u\no.c'], OF_SIGNS) + part(4, [], [b"one.c"], OF_ONE) + part(4, [b"f"], [b"c", b"rare.c"], OF_RARE)
    if before is not None:
        lines = before + lines
    lines += part(4, [], [b"behind.c"], OF_BEHIND) if version is None else part(version, [], [b"zero.c", b"behind.c"][version < 5:], OF_BEHIND)
    names = b"\0.symtab\0.strtab\0.debug_line\0.names\0.debug_str\0.debug_line_str\0"
    at, body, sections = 64, b"", [(0, 0, 0, 0, 0)]
    for offset, bytes_of in pieces:
        body = body.ljust(offset - at, b"\0") + bytes_of
    for title, kind, link, content in ((b".symtab", symbols_kind, 2, table), (b".strtab", 3, 0, strings), (b".debug_line", 1, 0, lines),
                                       (b".debug_str", 1, 0, STRINGS), (b".debug_line_str", 1, 0, LINE_STRINGS), (b".names", 3, 0, names)):
        sections.append((names.index(title + b"\0"), kind, link, at + len(body), len(content) - (cut if title == b".debug_line" else 0)))
        body += content
    section_at = at + len(body)
    body += b"".join(struct.pack("<IIQQQQIIQQ", title, kind, 0, 0, offset, size, link, 0, 1, 0) for title, kind, link, offset, size in sections)
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, at + len(body), section_at, 0, 64, 56,
                                                           len(headers) if told is None else told, 64, len(sections), len(sections) + names_at)
    body += b"".join(struct.pack("<IIQQQQQQ", kind, 5, offset, place, place, size, size, 4096) for kind, offset, place, size in headers)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(head + body)


def sections_of(name):
    """The bytes of a forged file, and where each header of a section begins."""
    with open(os.path.join(folder, name), "rb") as file:
        bytes_of = bytearray(file.read())
    at, = struct.unpack_from("<Q", bytes_of, 40)
    count, = struct.unpack_from("<H", bytes_of, 60)
    return bytes_of, [at + 64 * i for i in range(count)]


SYMBOLS, TEXTS, LINES, NAMES = 1, 2, 3, 6  # sections of forged files
KIND, FLAGS, OFFSET, SIZE, LINK = (4, "<I"), (8, "<Q"), (24, "<Q"), (32, "<Q"), (40, "<I")  # in the header of a section


def damage(name, section, field, value, like="two"):
    """Makes a file like another one, with another value in a field of a section."""
    bytes_of, headers = sections_of(like)
    struct.pack_into(field[1], bytes_of, headers[section] + field[0], value)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(bytes_of)


def move_to_end(name, section):
    """Makes a file like `two`, whose last bytes are those of a section."""
    bytes_of, headers = sections_of("two")
    offset, size = struct.unpack_from("<QQ", bytes_of, headers[section] + OFFSET[0])
    struct.pack_into("<Q", bytes_of, headers[section] + OFFSET[0], len(bytes_of))
    with open(os.path.join(folder, name), "wb") as file:
        file.write(bytes_of + bytes_of[offset:offset + size])


def unwinding(functions, offset, is_last=False, told=None, kind=0x3b031b01):
    """A table of functions at that offset, which its descriptions follow, or stand before if it is the last."""
    about = -16 * len(functions) if is_last else 12 + 8 * len(functions)
    out = struct.pack("<IiI", kind, about, len(functions) if told is None else told)
    for number, (begin, _) in enumerate(functions):
        out += struct.pack("<ii", begin - TABLE_AT, about + 16 * number)
    descriptions = b"".join(struct.pack("<IIiI", 12, 0, 0, size) for _, size in functions)
    return offset, descriptions + out if is_last else out + descriptions


def unwind_at_end(name, **how):
    """Makes a file like `late`, whose last bytes are a table of functions, or the descriptions of one."""
    content, _ = sections_of("late")
    _, table = unwinding(FUNCTIONS, 0, **how)
    at = len(content) + (16 * len(FUNCTIONS) if how.get("is_last") else 0)
    struct.pack_into("<Q", content, len(content) - 56 + 8, at)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content + table)


TABLE, TABLE_AT = 0x80, 0x400080
FUNCTIONS = [(BASE + 0x20, 0x20), (BASE + 0x40, 0x10), (BASE + 0x80, 0x40), (BASE + 0x100, 8), (SECOND + 0x180, 4)]
LOADS = [(LOAD, 0x1000, BASE, 0x1000), (LOAD, 0x2000, SECOND, 0x800)]
ENDS = [(UNWIND, TABLE, TABLE_AT, 0x1000)]
NOT_TOLD = [(LOAD, 0x3000, BEYOND, 0x1000), (LOAD, 0x4000, BEYOND, 0x1000)]
forge("two", ENDS + LOADS, pieces=[unwinding(FUNCTIONS, TABLE)])
forge("more", LOADS + NOT_TOLD, told=2)
forge("cut", LOADS, told=0xffff)
forge("short", LOADS, cut=1)
forge("first", LOADS, version=1)
forge("sixth", LOADS, version=6)
forge("second", LOADS, version=2)
forge("nameless", LOADS, names_at=0)
forge("stripped", LOADS, symbols_kind=11)
forge("late", [(4, 0, 0, 0)] + LOADS + ENDS, pieces=[unwinding(FUNCTIONS, TABLE)])

forge("two with blanks", LOADS)
forge("exact", [])  # the headers of sections are its last bytes
content, _ = sections_of("exact")
struct.pack_into("<H", content, 60, 8)  # one section more than there is
with open(os.path.join(folder, "beyond"), "wb") as beyond:
    beyond.write(content)
# What is behind the last section could be one: the first program header, with these bytes of the file.
forge("linked", [(4, 0, 0, 0x100)] + LOADS)
content, headers = sections_of("linked")
forge("named", [(4, 0) + struct.unpack_from("<QQ", content, headers[NAMES] + OFFSET[0])] + LOADS, names_at=0)
damage("linked", SYMBOLS, LINK, 7, like="linked")
forge("followed", [(17, 0, 0, 0)] + LOADS)  # as if it were a table of lines
content, headers = sections_of("linked")
struct.pack_into("<I", content, headers[SYMBOLS] + KIND[0], 1)
offset, size = struct.unpack_from("<QQ", content, headers[SYMBOLS] + OFFSET[0])
struct.pack_into("<IIQQQQQQ", content, headers[-1] + 64, 4, 2, 0, 0, offset, size, TEXTS, 0)
with open(os.path.join(folder, "behind"), "wb") as file:
    file.write(content)
forge("hidden", LOADS + ENDS, told=2, pieces=[unwinding(FUNCTIONS, TABLE)])
forge("other", ENDS + LOADS, pieces=[unwinding(FUNCTIONS, TABLE, kind=0x3b031b02)])
forge("whole", [(LOAD, 0, BASE, 0x1000)])
forge("rangeless", LOADS, before=part(4, [], [b"none.c"], special(0, 0) + END, lines=0))
forge("empty", LOADS, before=bytes(4))
forge("unversioned", LOADS, before=part(6, [], [b"none.c"], END))
forge("range of one", LOADS, before=part(4, [], [b"range.c"], address(BASE + 0x780) + bytes([3]) + leb(9, True) + bytes([1, 9, 4, 0]) + END, lines=1))
forge("endless", LOADS, before=struct.pack("<IHI", 19, 4, 13) + bytes([1, 1, 1, 0xfd, 12, 2, 0]) + b"folder")
forge("headless", LOADS, before=part(4, [], [b"none.c"], END, more=1000))
forge("cut within", LOADS, before=part(4, [], [b"within.c"], address(BASE + 0x780) + bytes([1, 9, 4])))
unwind_at_end("unwound")
unwind_at_end("unwound-last", is_last=True)
unwind_at_end("unwound-more", is_last=True, told=len(FUNCTIONS) + 1)
content, headers = sections_of("two")
for path, at in ("foreign", 1), ("narrow", 4):
    changed = bytearray(content)
    changed[at] = 1
    with open(os.path.join(folder, path), "wb") as file:
        file.write(changed)
for path, section in ("lines-over", LINES), ("names-over", NAMES):
    offset, = struct.unpack_from("<Q", content, headers[section] + OFFSET[0])
    damage(path, section, SIZE, len(content) - offset + 1)
for path, section in ("symbols-last", SYMBOLS), ("texts-last", TEXTS), ("lines-last", LINES), ("names-last", NAMES):
    move_to_end(path, section)
with open(os.path.join(folder, "symbols-last"), "ab") as file:
    file.write(struct.pack("<IBBHQQ", 1, FUNC, 0, 1, BASE + 0x18, 4))  # behind the table
offset, = struct.unpack_from("<Q", content, headers[SYMBOLS] + OFFSET[0])
changed = bytearray(content)
changed[offset + 24:offset + 28] = content[headers[TEXTS] + SIZE[0]:headers[TEXTS] + SIZE[0] + 4]
with open(os.path.join(folder, "unnamed"), "wb") as file:
    file.write(changed)
damage("texts-cut", TEXTS, SIZE, struct.unpack_from("<Q", content, headers[TEXTS] + SIZE[0])[0] - 3)
damage("bss", LINES, KIND, 8)
damage("packed", LINES, FLAGS, 0x800)
damage("outside", LINES, OFFSET, 1 << 40)
damage("longer", LINES, SIZE, 1 << 40)
damage("nowhere", NAMES, OFFSET, 1 << 40)
damage("unending", NAMES, SIZE, 1 << 40)
damage("lost", SYMBOLS, OFFSET, 1 << 40)
damage("untold", TEXTS, SIZE, 1 << 40)

expected = {}


def is_at(path, offset, name, construct=""):
    path = os.path.abspath(os.path.join(folder, path))
    expected[('"@%s%s+0x%x"' if construct or " " in path else "@%s%s+0x%x") % (construct, path, offset)] = construct + name


for path in "two", "more", "cut", "late", "stripped":
    for offset, name in ((0x1000, "first"), (0x100f, "first"), (0x1010, "label"), (0x2000, "a::b()"), (0x20ff, "a::b()"),
                         (0x2700, "last"), (0x27ff, "last"), (0x2800, path + "+0x2800"), (0xfff, path + "+0xfff"),
                         (0x1011, path + "+0x401011"), (0x3000, path + "+0x3000"), (0x4000, path + "+0x4000")):
        is_at(path, offset, name)
for path in "two", "late":
    for begin, size in FUNCTIONS:
        offset = begin - BASE + 0x1000 if begin < SECOND else begin - SECOND + 0x2000
        is_at(path, offset, "%s+0x%x" % (path, begin))
        is_at(path, offset + size - 1, "%s+0x%x" % (path, begin))
        if begin + size not in dict(FUNCTIONS):
            is_at(path, offset + size, "%s+0x%x" % (path, begin + size))
    is_at(path, 0x1fff, path + "+0x401fff")
    is_at(path, 0x2fff, path + "+0x2fff")
# The line of a call is that of the byte before the place that it returns to.
for offset, name in ((0x1200, "two+0x401200"), (0x1201, "four.c:10"), (0x1204, "four.c:10"), (0x1205, "four.c:13"), (0x1208, "four.c:13"),
                     (0x1209, "four.c:11"), (0x120c, "four.c:11"), (0x120d, "head.h:111"), (0x1210, "head.h:111"), (0x1211, "two+0x401211"),
                     (0x1300, "two+0x401300"), (0x1301, "five.c:42"), (0x1314, "five.c:42"), (0x1315, "five.c:40"), (0x1318, "five.c:40"),
                     (0x1319, "zero.c:40"), (0x131c, "zero.c:40"), (0x131d, "two+0x40131d"), (0x1401, "long.c:21"), (0x1404, "long.c:21"),
                     (0x1405, "two+0x401405"), (0x1501, "behind.c:7"), (0x1001, "first+0x1"), (0x2010, "a::b()+0x10")):
    is_at("two", offset, name, "loop ")
for path, offset, name in (("short", 0x1401, "long.c:21"), ("short", 0x1501, "short+0x401501"), ("first", 0x1501, "first+0x401501"), ("sixth", 0x1501, "sixth+0x401501"),
                           ("second", 0x1501, "behind.c:7"), ("two", 0x1601, "three.c:3"), ("two", 0x1605, "two+0x401605"), ("two", 0x1609, "three.c:8"),
                           ("two", 0x160d, "two+0x40160d"), ("two", 0x1505, "three.c:60"), ("two", 0x1510, "three.c:60"), ("two", 0x1511, "three.c:61"),
                           ("two", 0x1701, "of-line-str.c:8"), ("two", 0x1711, "of-str.c:9"), ("two", 0x1715, "two+0x401715"), ("nameless", 0x1201, "nameless+0x401201"),
                           ("more", 0x1501, "behind.c:7")):
    is_at(path, offset, name, "loop ")

for path in "bss", "packed", "outside", "longer", "nowhere", "unending", "named", "lines-over", "names-over", "rangeless", "headless", "empty", "unversioned":
    is_at(path, 0x1201, path + "+0x401201", "loop ")
    is_at(path, 0x1000, "first")
for path in "linked", "lost", "untold", "behind", "unnamed":
    is_at(path, 0x1201, "four.c:10", "loop ")
    is_at(path, 0x1000, path + "+0x401000")
for path in "symbols-last", "texts-last", "lines-last", "names-last", "two with blanks", "followed", "cut within", "endless":
    is_at(path, 0x1201, "four.c:10", "loop ")
    is_at(path, 0x1000, "first")
    is_at(path, 0x2000, "a::b()")
is_at("exact", BASE, "first")
is_at("exact", BASE + 0x201, "four.c:10", "loop ")
is_at("beyond", BASE, "beyond+0x401000")
is_at("beyond", BASE + 0x201, "beyond+0x401201", "loop ")
is_at("two", 0x1521, "three.c:70", "loop ")
is_at("two", 0x1530, "three.c:70", "loop ")
is_at("two", 0x1531, "three.c:80", "loop ")
is_at("two", 0x1541, "two+0x401541", "loop ")
is_at("two", 0x1721, "q_u_o.c:9", "loop ")

for offset, name in ((0x1741, "rare.c:201"), (0x1745, "rare.c:205"), (0x1749, "rare.c:202"), (0x174d, "rare.c:202"), (0x1750, "rare.c:202"),
                     (0x1751, "two+0x401751"), ((1 << 63) + 1, "c:300"), (1, "two+0x1"), (2, "two+0x2"), (0x1761, "two+0x401761"),
                     (0x1551, "one.c:90"), (0x1561, "one.c:1"), (0x1571, "two+0x401571")):
    is_at("two", offset, name, "loop ")
for path in "unwound", "unwound-last":
    for begin, size in FUNCTIONS:
        offset = begin - BASE + 0x1000 if begin < SECOND else begin - SECOND + 0x2000
        is_at(path, offset + size - 1, "%s+0x%x" % (path, begin))
for path in "unwound-more", "hidden", "other":
    is_at(path, 0x1021, path + "+0x401021")
for path in "foreign", "narrow", "absent":
    is_at(path, 0x1000, path + "+0x1000")
    is_at(path, 0x1201, path + "+0x1201", "loop ")
is_at("texts-cut", 0x2700, "la")
is_at("symbols-last", 0x1018, "symbols-last+0x401018")
is_at("range of one", 0x1781, "range.c:10", "loop ")
expected["@" + os.path.abspath(os.path.join(folder, "whole"))] = "whole+0x0"  # as well
expected["@cafe"] = "cafe+0x0"  # a place without an offset
odd = {"@beef cafe": "beef+0x0 cafe", '"@with blanks" b': '"with blanks+0x0" b'}  # followed by what is no colour


def merged():
    """The names that the places of `expected` have in a trace that is merged, each in the state type of its own, and
    the lines of that trace."""
    with open(raw, "rb") as file:
        text = file.read().rstrip(b"\0")
    for number, place in enumerate(expected):
        text += ("11 t%d 2 \"of case %d\"\n15 v t%d %s \"%d 0 0\"\n" % (number, number, number, place, number)).encode()
    text += "".join("15 odd%d t0 %s\n" % (number, line) for number, line in enumerate(odd)).encode()
    text += b'15 v t0 "@of a line that is cut"\n'
    with open(raw, "wb") as file:
        file.write(text)
    merge = run(tool, "merge", kept)
    assert b"names of C++" not in merge.stderr, merge.stderr
    lines = merge.stdout.decode().split("\n")
    words = [shlex.split(line) for line in lines if line.endswith(' 0 0"')]
    return {line[4]: line[3] for line in words if len(line) == 5}, lines


@case("functions and places by the tables of ELF files")
def by_tables():
    found, lines = merged()
    for number, (place, name) in enumerate(expected.items()):
        got = found.get("%d 0 0" % number)
        assert got == name, "%s is `%s`, expected `%s`" % (os.path.basename(place), got, name)
    for line, expected_line in odd.items():
        assert any(one.startswith("6 ") and one.endswith(" " + expected_line) for one in lines), line


sys.exit(cases.failed)
