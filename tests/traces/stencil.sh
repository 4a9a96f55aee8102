#!/bin/sh
# Writes stencil.trace: two nodes, four processes of a main thread and two workers each.  They solve a heat equation: in
# every iteration they exchange the borders of their parts, sweep over them, and reduce the residual.  Process 2 has
# the larger part, so the others wait for it.  The same bytes on every machine.
set -eu
export LC_ALL=C

cat <<'HEADER'
# A small parallel program: see stencil.sh, which generated this.
%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineVariableType 2
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeDefineEventType 3
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeDefineLinkType 4
%  Alias string
%  Type string
%  StartContainerType string
%  EndContainerType string
%  Name string
%EndEventDef
%EventDef PajeDefineEntityValue 5
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeCreateContainer 6
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeDestroyContainer 7
%  Time date
%  Type string
%  Name string
%EndEventDef
%EventDef PajeSetState 10
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajePushState 11
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajePushState 12
%  Time date
%  Type string
%  Container string
%  Value string
%  Iteration int
%EndEventDef
%EventDef PajePopState 13
%  Time date
%  Type string
%  Container string
%EndEventDef
%EventDef PajeSetVariable 20
%  Time date
%  Type string
%  Container string
%  Value double
%EndEventDef
%EventDef PajeAddVariable 21
%  Time date
%  Type string
%  Container string
%  Value double
%EndEventDef
%EventDef PajeSubVariable 22
%  Time date
%  Type string
%  Container string
%  Value double
%EndEventDef
%EventDef PajeStartLink 30
%  Time date
%  Type string
%  Container string
%  StartContainer string
%  Value string
%  Key string
%  Size int
%EndEventDef
%EventDef PajeEndLink 31
%  Time date
%  Type string
%  Container string
%  EndContainer string
%  Value string
%  Key string
%EndEventDef
%EventDef PajeNewEvent 40
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
0 N 0 Node
0 P N Process
0 T P Thread
1 S T "Thread state"
2 M P "Memory (MiB)" "0.2 0.4 0.8"
2 R P Residual "0.8 0.2 0.2"
3 E P Milestone "0 0 0"
4 L 0 P P Message
5 I S idle "0.9 0.9 0.9"
5 C S compute "0.2 0.7 0.2"
5 W S sweep "0.1 0.5 0.1"
5 X S exchange "0.9 0.6 0.1"
5 A S reduce "0.8 0.2 0.2"
5 O S "input/output" "0.4 0.2 0.7"
5 h L halo "0.9 0.6 0.1"
HEADER

awk '
    function random(low, high) {
        seed = (seed * 16807) % 2147483647
        return low + seed % (high - low)
    }
    # One line of the trace at a time in microseconds; sorted later, as long as times are equal in this order.
    function at(time, id, rest) {
        printf "%d %d %d.%06d %s\n", time, id, time / 1000000, time % 1000000, rest
    }
    function push(time, thread, value) { at(time, 11, "S " thread " " value) }
    function pop(time, thread) { at(time, 13, "S " thread) }
    BEGIN {
        seed = 2026
        iterations = 24
        for (n = 0; n < 2; n++)
            at(0, 6, "n" n " N 0 \"Node " n "\"")
        for (p = 0; p < 4; p++) {
            at(100 * p, 6, "p" p " P n" int(p / 2) " \"Process " p "\"")
            for (t = 0; t < 3; t++) {
                at(100 * p, 6, "p" p "t" t " T p" p " " (t ? "\"Worker " p "." t "\"" : "\"Main " p "\""))
                at(100 * p, 10, "S p" p "t" t " I")
            }
            clock[p] = 100 * p + random(20, 60)
            at(clock[p], 20, "M p" p " 16")
            at(clock[p], 20, "R p" p " 1.0")
            push(clock[p], "p" p "t0", "O")
            clock[p] += random(2000, 2400) + (p == 2) * 900
            pop(clock[p], "p" p "t0")
            at(clock[p], 21, "M p" p " " (p == 2 ? 192 : 128) ".5")
            at(clock[p], 40, "E p" p " \"input read\"")
        }
        for (i = 1; i <= iterations; i++) {
            # borders: to the neighbours, then wait for theirs
            for (p = 0; p < 4; p++) {
                at(clock[p], 12, "S p" p "t0 X " i)
                for (d = -1; d <= 1; d += 2)
                    if (p + d >= 0 && p + d < 4) {
                        clock[p] += random(10, 25)
                        key = i "-" p "-" p + d
                        at(clock[p], 30, "L 0 p" p " h " key " 8192")
                        arrival[p, p + d] = clock[p] + random(40, 120)
                    }
            }
            for (p = 0; p < 4; p++)
                for (d = -1; d <= 1; d += 2)
                    if (p + d >= 0 && p + d < 4) {
                        if (arrival[p + d, p] > clock[p])
                            clock[p] = arrival[p + d, p]
                        clock[p] += random(4, 9)
                        at(clock[p], 31, "L 0 p" p " h " i "-" p + d "-" p)
                    }
            # the sweep, by both workers
            slowest = 0
            for (p = 0; p < 4; p++) {
                pop(clock[p], "p" p "t0")
                at(clock[p], 12, "S p" p "t0 C " i)
                end = 0
                for (t = 1; t < 3; t++) {
                    push(clock[p] + random(3, 12), "p" p "t" t, "W")
                    stop = clock[p] + random(700, 900) + (p == 2) * 350
                    pop(stop, "p" p "t" t)
                    if (stop > end)
                        end = stop
                }
                clock[p] = end + random(2, 8)
                pop(clock[p], "p" p "t0")
                at(clock[p], 12, "S p" p "t0 A " i)
                if (clock[p] > slowest)
                    slowest = clock[p]
            }
            for (p = 0; p < 4; p++) {
                clock[p] = slowest + random(30, 60)
                pop(clock[p], "p" p "t0")
                at(clock[p], 20, sprintf("R p%d %d.%05de-%d", p, 9 - i % 8, random(0, 100000), 1 + i / 4))
                at(clock[p], 40, "E p" p " iteration")
                if (i % 8 == 0) {
                    push(clock[p], "p" p "t0", "O")
                    at(clock[p], 21, "M p" p " 32.25")
                    clock[p] += random(1200, 1500)
                    at(clock[p], 22, "M p" p " 32.25")
                    pop(clock[p], "p" p "t0")
                    at(clock[p], 40, "E p" p " checkpoint")
                }
            }
        }
        for (p = 0; p < 4; p++) {
            clock[p] += random(50, 90)
            for (t = 2; t >= 0; t--)
                at(clock[p], 7, "T p" p "t" t)
            at(clock[p], 7, "P p" p)
        }
        for (n = 0; n < 2; n++)
            at(clock[2 * n] > clock[2 * n + 1] ? clock[2 * n] : clock[2 * n + 1], 7, "N n" n)
    }' | sort -s -n -k1,1 | cut -d' ' -f2-
