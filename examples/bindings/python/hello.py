#!/usr/bin/env python3
"""Traces its own threads, then replays the trace and prints the time of each thread in each state.

usage: hello.py FILE
"""

import collections
import queue
import sys
import threading

import paje


def main(file):
    with paje.Writer(file) as w:
        # Each call returns a handle that other calls take; names need not be unique.
        thread = w.define_container_type("Thread")
        activity = w.define_state_type("Activity", thread)
        working = w.define_value("working", activity, "0.2 0.7 0.3")
        waiting = w.define_value("waiting", activity, "0.8 0.2 0.2")
        result = w.define_variable_type("Result", thread, "0.2 0.4 0.8")
        task = w.define_link_type("Task", thread, thread)
        addition = w.define_value("addition", task)

        # A writer is for one thread at a time, so the threads share a lock.
        main_thread = w.create_container("main", thread)
        tasks, lock = queue.Queue(), threading.Lock()

        def worker(me):
            while True:
                with lock:
                    w.set_state(me, activity, waiting)
                key, numbers = tasks.get()
                if not numbers:
                    return
                with lock:
                    w.end_link(task, addition, me, key)
                    w.set_state(me, activity, working, fields={"Task": key})
                total = sum(numbers)
                with lock:
                    w.set_variable(me, result, total)

        workers = [w.create_container("worker %d" % i, thread) for i in range(3)]
        threads = [threading.Thread(target=worker, args=(me,)) for me in workers]
        for one in threads:
            one.start()
        for i in range(12):
            with lock, w.state(main_thread, activity, working):
                w.start_link(task, addition, main_thread, "task %d" % i)
                tasks.put(("task %d" % i, range(1, 10000 * i + 2)))
        for one in threads:
            tasks.put(("", []))
        for one in threads:
            one.join()

    times, latencies = collections.Counter(), []
    for entity in paje.entities(file, strict=True):
        if entity.kind == "State":
            times[entity.container.path, entity.value] += entity.duration
        elif entity.kind == "Link":
            latencies.append(entity.duration)
    for (who, what), seconds in sorted(times.items()):
        print("%s was %s for %.6f s" % (who, what, seconds))
    print("%d tasks waited %.6f s on average" % (len(latencies), sum(latencies) / len(latencies)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: hello.py FILE")
    main(sys.argv[1])
