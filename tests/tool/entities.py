"""The entities of the tables of `paje csv`, as trace events have them: times in nanoseconds, no ends of variables."""
import collections

from cases import characters, table


def rows(folder, name):
    return map(characters, table(folder, name))


def ns(text):
    size = float(text) * 1e9
    return int(size - 0.5 if size < 0 else size + 0.5)


def expected(folder):
    entities = collections.Counter()
    for r in rows(folder, "states"):
        times = ns(r["Start"]), ns(r["End"])
        entities["State", r["Container"], r["Type"], *times, int(r["Imbrication"]), r["Value"]] += 1
    for r in rows(folder, "events"):
        entities["Event", r["Container"], r["Type"], ns(r["Time"]), r["Value"]] += 1
    for r in rows(folder, "variables"):
        entities["Variable", r["Container"], r["Type"], ns(r["Start"]), float(r["Value"])] += 1
    for r in rows(folder, "links"):
        entities["Link", r["Type"], r["From"], r["To"], ns(r["Start"]), ns(r["End"])] += 1
    return entities


def without_times(entities):
    """Times of states, adjusted where they went back."""
    answer = collections.Counter()
    for one, count in entities.items():
        answer[("State", *one[1:3], one[6]) if one[0] == "State" else one] += count
    return answer
