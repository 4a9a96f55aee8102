# Prints a body for tests/tool/header.trace: states, variables, events and links as chance has it, in time order, such
# that pj_dump accepts them and has no slip: -v seed=NUMBER, -v flat=1: states are pushed and popped only, and all of
# them popped, which is what pj_dump -i can do.

function chance(n) { # 0 to n - 1
    seed = (seed * 16807) % 2147483647
    return seed % n
}

function word(n) { return substr("abcdefgh", chance(n) + 1, 1) }

BEGIN {
    print "0 H 0 Host\n0 T H \"A thread\"\n1 S H \"Host state\"\n1 s T State\n2 E T Event\n3 V H Variable \"1 0 0\""
    print "3 v T \"Other variable\" \"0 1 0\"\n4 L 0 T T Link\n4 l H H T \"Inner link\""
    print "5 a S Aaa \"1 1 1\"\n5 b s \"Bee, bee\" \"1 1 1\"\n5 c L Cee \"1 1 1\"\n5 d E \"D # d\" \"1 1 1\""
    hosts = 3
    threads = 9
    time = 0.125
    for (i = 0; i < hosts; i++)
        print "6 " time " h" i " H 0 \"Host " i "\" " i
    for (i = 0; i < threads; i++)
        print "6 " time " t" i " T h" i % hosts " \"t" i (chance(2) ? " x" : "") "\" " i
    for (n = 0; n < 600; n++) {
        time += chance(4) / 8
        thread = chance(threads)
        host = thread % hosts
        if (chance(4)) {
            type = "s"
            container = "t" thread
        } else {
            type = "S"
            container = "h" host
        }
        what = chance(11)
        if (what < 3) {
            print "11 " time " " type " " container " " word(6) " \"mark " n "\" " n
            depth[container]++
        } else if (what < 6) {
            if (depth[container] > 0) {
                print "12 " time " " type " " container " reason-" n
                depth[container]--
            }
        } else if (what == 6 && !flat && chance(2)) {
            print "10 " time " " type " " container " " word(6) " set-" n
            depth[container] = 1
        } else if (what == 6 && !flat) {
            print "13 " time " " type " " container " reset-" n
            depth[container] = 0
        } else if (what == 7) {
            container = chance(2) ? "V h" host : "v t" thread
            if (container in set && chance(2))
                print "21 " time " " container " " chance(64) / 8 - 4 " because"
            else
                print "20 " time " " container " " chance(1024) / 16 - 32
            set[container] = 1
        } else if (what == 8) {
            print "30 " time " E t" thread " " word(6) " \"payload " n "\" " n
        } else if (what == 9) {
            if (chance(2))
                where = "L 0"
            else
                where = "l h" host
            key = "key-" n
            start = "40 " time " " where " " (where == "L 0" ? "t" thread : "h" host) " c \"" key "\" " n
            end = "41 " time " " where " t" chance(threads) " c \"" key "\" tag-" n
            first = chance(2)
            print first ? start : end
            half[pending++] = first ? end : start
        } else if (done < pending) {
            sub(/^4[01] [^ ]+/, substr(half[done], 1, 2) " " time, half[done])
            print half[done++]
        }
    }
    time++
    for (; done < pending; done++) {
        sub(/^4[01] [^ ]+/, substr(half[done], 1, 2) " " time, half[done])
        print half[done]
    }
    for (container in depth)
        for (; flat && depth[container] > 0; depth[container]--)
            print "12 " time " " (container ~ /^h/ ? "S " : "s ") container " over"
    print "7 " ++time " T t0"
    print "30 " ++time " E t1 last a 1"
    print "7 " ++time " T t1" # behind all that begins: pj_dump loses what begins with the last line
}
