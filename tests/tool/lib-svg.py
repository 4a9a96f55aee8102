"""What a picture of `paje svg` shows, read from its shapes, beside what `paje dump` says.

usage: lib-svg.py CHECK PICTURE DUMP FIRST LAST
CHECK is one of
  wide    states that are wide enough are rectangles of their own, at their times, and there are no others
  shares  columns of narrow states have each value's share of the time as its height (no nested states, no wide ones)
  total   summed over the picture, each value has its time
  names   the container of each row is named beside it, alone or in a range of neighbours, and no name is over another
  thin    each column of each row has the colour of the innermost state that takes most of its time
Says what differs, and exits with 1 if anything does."""
import collections, re, sys, xml.etree.ElementTree as tree

check, picture, dump, first, last = sys.argv[1:]
first, last = float(first), float(last)
SVG = "{http://www.w3.org/2000/svg}"
State = collections.namedtuple("State", "container type start end depth value")

states = []
for line in open(dump, encoding="utf-8", errors="replace"):
    fields = line.rstrip("\n").split(", ")
    if fields[0] == "State":
        _, container, kind, start, end, _, depth, value = fields
        states.append(State(container, kind, float(start), float(end), int(float(depth)), value))

root = tree.parse(picture).getroot()
axis = next(p for p in root.iter(SVG + "path") if p.get("stroke") == "#444")
left, _, width = map(float, re.fullmatch(r"M(\S+) (\S+)h(\S+)", axis.get("d")).groups())
x = lambda time: left + (time - first) / (last - first) * width
rows = [g for g in root.iter(SVG + "g") if g.find(SVG + "title") is not None]

# The legend: a swatch, then its text.
colors, swatch = {}, None
for part in root:
    if part.tag == SVG + "rect" and part.get("stroke-opacity") == ".25":
        swatch = part.get("fill")
    elif part.tag == SVG + "text" and swatch:
        colors[part.text], swatch = swatch, None

def row_of(group):
    """The name of the last container, how many there are, the type."""
    name, kind = group.find(SVG + "title").text.rsplit(": ", 1)
    name = name.split(" / ")[-1]
    several = re.search(r" \((\d+)\)$", name)
    return re.split(" … ", name)[0], int(several.group(1)) if several else 1, kind

def levels(path):
    """The height of an area above its base, for each column."""
    found = [0] * int(width)
    for part in path.get("d").split("M")[1:]:
        at, _ = map(float, re.match(r"(\S+) ([\d.]+)", part).groups())
        column, level = at - left, 0
        for letter, number in re.findall(r"([hv])(-?[\d.]+)", part):
            if letter == "v":
                level -= float(number)
                continue
            for _ in range(int(float(number))):
                found[int(column)] = level
                column += 1
    return found

def add(times, start, end, weight=1):
    """Adds to each column how much of it the span takes."""
    start, end = max(x(start) - left, 0), min(x(end) - left, width)
    for i in range(int(start), int(width)):
        if i >= end:
            break
        times[i] += weight * (min(end, i + 1) - max(start, i))

def nothing():
    return [0.0] * int(width)

wrong = []

if check == "wide":
    drawn, expected = collections.Counter(), collections.Counter()
    for group in rows:
        container, _, kind = row_of(group)
        for rect in group.iter(SVG + "rect"):
            value = re.match(re.escape(kind) + r": (.*?), ", rect.find(SVG + "title").text).group(1)
            drawn[container, kind, value, round(float(rect.get("x")), 1), round(float(rect.get("width")), 1)] += 1
    for state in states:
        start, end = max(x(state.start), left), min(x(state.end), left + width)
        if x(state.end) - x(state.start) >= 2 and end >= left and start <= left + width and state.depth < 8:
            expected[state.container, state.type, state.value, round(start, 1), round(end - start, 1)] += 1
    near = lambda a, b: a[:3] == b[:3] and abs(a[3] - b[3]) < 0.15 and abs(a[4] - b[4]) < 0.15
    for some, others, what in ((expected - drawn, drawn - expected, "not drawn"),
                               (drawn - expected, expected - drawn, "not there")):
        wrong += [f"{what}: {one}" for one in some if not any(near(one, other) for other in others)]
    if not drawn:
        wrong.append("no state is drawn")

if check in ("shares", "total"):
    sums, expected_sums = collections.Counter(), collections.Counter()
    for group in rows:
        container, _, kind = row_of(group)
        values = {state.value for state in states}
        expected = {value: nothing() for value in values}
        for state in states:
            if (state.container, state.type) == (container, kind):
                add(expected[state.value], state.start, state.end)
        areas = [(path.get("fill"), levels(path)) for path in group.iter(SVG + "path")]
        size = max(max(level) for _, level in areas)
        for i in range(int(width)):
            heights, below = {}, 0 # what is painted later hides what is below its level
            for color, level in reversed(areas):
                heights[color] = heights.get(color, 0) + max(level[i] - below, 0)
                below = max(below, level[i])
            for value in values:
                share = heights.get(colors[value], 0) / 18
                sums[value] += share
                expected_sums[value] += expected[value][i]
                if check == "shares" and abs(share - expected[value][i]) > 0.03:
                    wrong.append(f"{container} {value} column {i}: {share} in place of {expected[value][i]}")
    for value in expected_sums:
        if abs(sums[value] - expected_sums[value]) > 0.02 * expected_sums[value]:
            wrong.append(f"{value}: {sums[value]} pixels in place of {expected_sums[value]}")
    if not expected_sums:
        wrong.append("nothing is drawn")

if check == "names":
    boxes, named, ranges = [], {}, []
    for text in root.iter(SVG + "text"):
        if not text.get("font-size"): # on the axis
            continue
        size, at, y = float(text.get("font-size")), float(text.get("x")), float(text.get("y"))
        if text.get("fill") == "#fff" or y > float(re.match(r"M\S+ (\S+)h", axis.get("d")).group(1)) or at >= left:
            continue
        title = text.find(SVG + "title")
        name = text.text if title is None else title.text
        length = 0.55 * size * len("".join(text.text))
        at -= length if text.get("text-anchor") == "end" else 0
        boxes.append((y - 0.75 * size, y, at, at + length, name))
        if text.get("text-anchor") != "end":
            several = re.fullmatch(r"(.*) … .* \((\d+)\)", name)
            if several:
                ranges.append((y, several.group(1), int(several.group(2))))
            named.setdefault(name, []).append(y)
    boxes.sort()
    for i, one in enumerate(boxes):
        for other in boxes[i + 1:]:
            if other[0] >= one[1]:
                break
            if one[2] < other[3] and other[2] < one[3]:
                wrong.append(f"{one[4]} is over {other[4]}")
    names = list(dict.fromkeys(group.find(SVG + "title").text.rsplit(": ", 1)[0] for group in rows))
    def has_label(path): # a label may begin with names that lead to it alone
        parts = path.split(" / ")
        return any(" / ".join(parts[i:]) in named for i in range(len(parts)))
    count = sum(int((re.search(r" \((\d+)\)$", name) or [0, 1])[1]) for name in names if not has_label(name))
    if sum(number for _, _, number in ranges) < count:
        wrong.append(f"{count} containers have no name of their own, {ranges} are in ranges: {names[:3]}")
    if not names:
        wrong.append("there are no rows")

if check == "thin":
    order = list(dict.fromkeys(state.container for state in sorted(states, key=lambda s: int(s.container[1:]))))
    own = collections.defaultdict(list)
    for state in states:
        own[state.container].append(state)
    for group in rows:
        container, members, _ = row_of(group)
        times, total = collections.defaultdict(nothing), nothing()
        for name in order[order.index(container):][:members]:
            for state in own[name]:
                add(times[state.value], state.start, state.end, 1 / members)
                if state.depth == 0:
                    add(total, state.start, state.end, 1 / members)
                for outer in own[name] if state.depth else []:
                    if outer.depth == state.depth - 1 and outer.start <= state.start and state.end <= outer.end:
                        add(times[outer.value], state.start, state.end, -1 / members)
                        break
        drawn = ["none"] * int(width)
        for path in group.iter(SVG + "path"):
            at = None
            for letter, number in re.findall(r"([Mmh])(-?[\d.]+)", path.get("d")):
                number = float(number)
                if letter == "h":
                    drawn[int(at - left):int(at + number - left)] = [path.get("stroke")] * int(number)
                at = number if letter == "M" else at + number
        for i in range(int(width)):
            shares = sorted(((column[i], colors[value]) for value, column in times.items()), reverse=True)
            shares.append((1 - total[i], "none"))
            shares.sort(reverse=True)
            if shares[0][0] - shares[1][0] > 1e-6 and drawn[i] != shares[0][1]:
                wrong.append(f"{container} column {i}: {drawn[i]} in place of {shares[0]}")
    if len(rows) < 2 or max(row_of(group)[1] for group in rows) < 2:
        wrong.append("no containers share a row")

print("\n".join(wrong[:5]))
sys.exit(bool(wrong))
