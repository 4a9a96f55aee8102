"""Merges random traces whose names, keys and fields hold quotes, blanks, signs and bytes of all sorts, leniently and
strictly: `lib-merge.py PAJE FOLDER COUNT`.  What a trace says, and what the merged trace says, must be the same to
readers of that mode."""
import random
import subprocess
import sys

HEADER = open("tests/tool/header.trace", "rb").read()
TYPES = [b"0 H 0 Host", b"1 S H State", b"2 E H Alarm", b"4 L 0 H H Message"]
SIGNS = [bytes([byte]) for byte in b"ab\"'\"'\"'  %#=,\\0/\t_2"] + [b"\0", b"\x9b", b"\xc3\xa9", b"\xe2\x80\xae", b"\v"]


def name(rng):
    return b"".join(rng.choice(SIGNS) for _ in range(rng.choice([1, 1, 2, 3, 5])))


def quoted(rng, word, strict):
    """One of the ways to write a word; None if there is no way."""
    ways = []
    if b"'" not in word and not strict:
        ways.append(b"'" + word + b"'")
    if b'"' not in word:
        ways.append(b'"' + word + b'"')
    if word and word[:1] not in (b'"', b"%") and not (word[:1] == b"'" and not strict) and \
            not any(sign in word for sign in (b" ", b"\t", b"#")):
        ways.append(word)
    return rng.choice(ways) if ways else None


def trace(rng, strict):
    reserved = [b"0", b"/"] if strict else []
    names = [word for word in (name(rng) for _ in range(30)) if word not in reserved and quoted(rng, word, strict)]
    keys = names[:3]

    def any_of(words):
        return quoted(rng, rng.choice(words), strict)

    header = HEADER
    for field in (b"Payload", b"Mark", b"Reason"):
        header = header.replace(b"%  " + field + b" ", b"%  " + any_of(names) + b" ")
    lines = list(TYPES)
    for _ in range(6):
        lines.append(b"1 %s H %s" % (any_of(names), any_of(names)))
        value = rng.choice(names)
        if strict:  # where a value may not be called like the identifier of another one
            value = b"value-" + value
        lines.append(b'5 %s S %s "0 0 0"' % (any_of(names), quoted(rng, value, strict)))
    containers = [rng.choice(names) for _ in range(4)]
    lines += [b"6 0 %s H 0 %s 0" % (quoted(rng, container, strict), any_of(names)) for container in containers]
    for time in range(1, 20):
        kind = rng.random()
        where = any_of(containers)
        if kind < 0.5:
            type_ = rng.choice([b"S", any_of(names)])
            lines.append(b"11 %d %s %s %s %s 1" % (time, type_, where, any_of(names), any_of(names)))
        elif kind < 0.7:
            lines.append(b"30 %d E %s %s %s 1" % (time, where, any_of(names), any_of(names)))
        elif kind < 0.85:
            lines.append(b"40 %d L 0 %s %s %s 1" % (time, where, any_of(names), any_of(keys)))
        else:
            lines.append(b"41 %d L 0 %s %s %s x" % (time, where, any_of(names), any_of(keys)))
    return header + b"\n".join(lines) + b"\n"


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def says(paje, mode, file):
    """The entities, and the names of the fields of each event; not the numbers of events, which may differ."""
    fields = [line.split(b": ", 1)[-1] for line in output(paje, "info", mode, file).split(b"\n") if b"(user)" in line]
    return sorted(output(paje, "dump", "-u", mode, file).split(b"\n")), sorted(set(fields))


def main():
    paje, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    source, merged = folder + "/names", folder + "/merged"
    for seed in range(count):
        mode = ["--lenient", "--strict"][seed % 2]
        with open(source, "wb") as file:
            file.write(trace(random.Random(seed), mode == "--strict"))
        subprocess.run([paje, "merge", mode, "-o", merged, source], stderr=subprocess.DEVNULL)
        before, after = says(paje, mode, source), says(paje, mode, merged)
        if before != after:
            sys.exit("seed %d, %s: the merged trace says something else" % (seed, mode))
        if len(before[0]) < 4 or not before[1]:
            sys.exit("seed %d, %s: the trace says too little" % (seed, mode))


main()
