"""FOLDER: the pictures of `paje platform` in it, beside what `paje dump` prints."""
import collections
import re
import sys
import xml.etree.ElementTree as tree

from cases import case
import cases

folder = sys.argv[1]
SVG = "{http://www.w3.org/2000/svg}"


def entities(name, kind, type_name):
    for line in open(f"{folder}/{name}.dump", encoding="utf-8"):
        fields = line.rstrip("\n").split(", ")
        if fields[0] == kind and fields[2] == type_name:
            yield fields


def near(expected, got, share=0.01):
    assert expected.keys() == got.keys(), (sorted(expected)[:5], sorted(got)[:5])
    for name, value in expected.items():
        assert abs(got[name] - value) <= share * abs(value) + 1e-9, (name, value, got[name])


def root(name):
    return tree.parse(f"{folder}/{name}.svg").getroot()


def groups(name):
    return [(g.find(SVG + "title").text, g) for g in root(name).iter(SVG + "g") if g.find(SVG + "title") is not None]


def means(name, type_name, first, last):
    """The mean of a variable of each container over a range."""
    sums = collections.Counter()
    for _, container, _, start, end, _, value in entities(name, "Variable", type_name):
        sums[container] += max(min(float(end), last) - max(float(start), first), 0) * float(value) / (last - first)
    return {name: value for name, value in sums.items() if value > 0}


def areas(name):
    """Returns the area of each leaf of a treemap, and that of each colour in it."""
    whole, parts = {}, {}
    for title, group in groups(name):
        rects = group.findall(SVG + "rect")
        if rects[0].get("fill") == "#eceef1": # a group
            continue
        leaf = title.rsplit(": ", 1)[0].split(" / ")[-1]
        size = lambda rect: float(rect.get("width")) * float(rect.get("height"))
        whole[leaf] = size(rects[-1])
        parts[leaf] = collections.Counter()
        for rect in rects[:-1]:
            parts[leaf][rect.get("fill")] += size(rect)
    return whole, parts


def scaled(values):
    total = sum(values.values())
    return {name: value / total for name, value in values.items()}


@case("marks have the area of the variable")
def test():
    expected = {fields[1]: float(fields[6]) for fields in entities("platform", "Variable", "speed")}
    most, got = max(expected.values()), {}
    for title, group in groups("platform"):
        if title.startswith("HOST "):
            _, _, width = re.match(r"M(\S+) (\S+)h([\d.]+)", group.find(SVG + "path").get("d")).groups()
            got[title.split(", ")[0][5:]] = float(width) ** 2
    largest = max(got.values())
    near(expected, {name: area / largest * most for name, area in got.items()})


@case("lines are between the ends of links")
def test():
    links = {tuple(fields[7:9]) for kind in ("L2-HOST-LINK", "L1-LINK-LINK")
             for fields in entities("platform", "Link", kind)}
    places = {}
    for title, group in groups("platform"):
        shape = group.find(SVG + "path").get("d")
        x, y, first = re.match(r"M(\S+) (\S+?)[hl]([\d.]+)", shape).groups()
        half = float(first) / 2 if "h" in shape else float(first)
        name = re.match(r"\S+ ([^,]*)", title).group(1)
        places[name] = (float(x) + half, float(y) + half) if "h" in shape else (float(x), float(y) + half)
    drawn = [tuple(map(float, re.match(r"M(\S+) (\S+)L(\S+) (\S+)", path.get("d")).groups()))
             for path in root("platform").iter(SVG + "path") if path.get("stroke-width")]
    assert len(drawn) == len(links) == 15, (len(drawn), len(links))
    for one, other in links:
        ends = places[one] + places[other], places[other] + places[one]
        assert any(all(abs(a - b) < 0.1 for a, b in zip(line, end)) for line in drawn for end in ends), (one, other)


@case("what is used is a part of the area")
def test():
    power, used = means("hosts", "power", 0, 4.07), means("hosts", "power_used", 0, 4.07)
    got = {}
    for title, group in groups("hosts"):
        widths = [float(re.match(r"M\S+ \S+h([\d.]+)", path.get("d")).group(1)) for path in group.findall(SVG + "path")]
        if len(widths) == 2:
            got[re.match(r"\S+ ([^,]*)", title).group(1)] = (widths[1] / widths[0]) ** 2
    near({name: used[name] / power[name] for name in used}, got)


@case("a treemap of states: areas are times, their parts too")
def test():
    for name, first, last in (("states", 0, 1e9), ("range", 2, 4.5)):
        times, parts = collections.Counter(), collections.defaultdict(collections.Counter)
        for _, container, _, start, end, _, _, value in entities("cluster", "State", "Processor state"):
            time = max(min(float(end), last) - max(float(start), first), 0)
            times[container] += time
            parts[container][value] += time
        whole, colors = areas(name)
        near(scaled(times), scaled(whole))
        for leaf in parts:
            expected = sorted(value for value in scaled(parts[leaf]).values() if value > 0)
            got = sorted(scaled(colors[leaf]).values())
            assert len(expected) == len(got) and all(abs(a - b) < 0.01 for a, b in zip(expected, got)), (leaf, expected, got)


@case("a treemap of states: containers that are summed up have all states in them")
def test():
    within = {line.rstrip("\n").split(", ")[-1]: line.split(", ")[1]
              for line in open(f"{folder}/cluster.dump") if line.startswith("Container")}
    parts = collections.defaultdict(collections.Counter)
    for _, container, _, start, end, _, _, value in entities("cluster", "State", "Processor state"):
        parts[within[container]][value] += float(end) - float(start)
    whole, colors = areas("depth")
    near(scaled({name: sum(values.values()) for name, values in parts.items()}), scaled(whole))
    for leaf in parts:
        expected, got = sorted(scaled(parts[leaf]).values()), sorted(scaled(colors[leaf]).values())
        assert len(expected) == len(got) and all(abs(a - b) < 0.01 for a, b in zip(expected, got)), (leaf, expected, got)


@case("a treemap of a variable: areas are means over the range")
def test():
    last = max(float(line.split(", ")[4]) for line in open(f"{folder}/cluster.dump") if line.startswith("Container"))
    near(scaled(means("cluster", "Load", 0, last)), scaled(areas("load")[0]))
    near(scaled(means("hosts", "power_used", 1, 2)), scaled(areas("used")[0]))


sys.exit(cases.failed)
