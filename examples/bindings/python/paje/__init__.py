"""Reads and writes Pajé traces: bindings of pajesim.h and pajewrite.h, through the libraries that `make lib` builds.

    for entity in paje.entities("t.trace"):
        if entity.kind == "State":
            print(entity.container.path, entity.value, entity.start, entity.end)

    frame = paje.columns("t.trace", "State").to_pandas()

    with paje.Writer("t.trace") as w:
        thread = w.define_container_type("Thread")
        activity = w.define_state_type("Activity", thread)
        working = w.define_value("working", activity, "0.2 0.7 0.3")
        me = w.create_container("me", thread)
        with w.state(me, activity, working):
            ...

Text is str; bytes that are not UTF-8 become surrogate escapes and back (see PEP 383).  Times are in seconds.  Callbacks
get copies, which they may keep.  A Simulation or a Writer is for one thread at a time.

The libraries are searched for in the folder that PAJE_LIBRARIES names, in build/ of the repository, and in the folders
of the system.
"""

from .columns import Columns, Names, columns
from .libraries import Error
from .reader import STOP, Container, Entity, Problem, Simulation, Type, Value, entities, replay
from .writer import Writer

__all__ = ["Columns", "Container", "Entity", "Error", "Names", "Problem", "STOP", "Simulation", "Type", "Value",
           "Writer", "columns", "entities", "replay"]
