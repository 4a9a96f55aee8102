# Prints the deepest path of calls from some functions, in bytes of stack.
# usage: objdump -d PROGRAM | awk -f stack.awk -v roots="FUNCTION ..." [-v call=BYTES] FRAMES.su -
#   FRAMES.su  of gcc -fstack-usage; frames of other functions (of libgcc, of libc) are computed from their pushes
#   call       bytes that a call pushes: 2 on AVR
# Prints `BYTES FUNCTION > FUNCTION ...`.  Fails on recursion.  Calls through pointers are not followed.

FILENAME ~ /\.su$/ {
    split($1, place, ":")
    name = place[4]
    sub(/\..*/, "", name)
    if ($2 + 0 > frame[name] + 0)
        frame[name] = $2
    known[name] = 1
    next
}

/^[0-9a-f]+ <.*>:$/ {
    function_ = clean($2)
    exists[function_] = 1
    next
}

!known[function_] && $0 ~ /\tpush/ { pushed[function_] += /{/ ? 4 * gsub(/[{,]/, "&") : 1 }
!known[function_] && match($0, /(sub\tsp, (sp, )?#|addi\tsp,sp,-)[0-9]+/) {
    pushed[function_] += last_number(substr($0, RSTART, RLENGTH))
}

# A call, or a jump to the beginning of another function; a jump to its own beginning may be a loop.
/\t(b|j|call|rcall|rjmp)[a-z.]*\t/ && match($0, /<[^+>]+>$/) {
    target = clean(substr($0, RSTART, RLENGTH))
    if (target == function_ && known[target] && /\t(bl|jal|call|rcall)\t/)
        recursive = recursive " " target
    if (target != function_ && !((function_, target) in seen)) {
        seen[function_, target] = 1
        calls[function_] = calls[function_] " " target
    }
}

function clean(name)
{
    gsub(/[<>:]/, "", name)
    sub(/\..*/, "", name)
    return name
}

function last_number(text)
{
    sub(/.*[^0-9]/, "", text)
    return text + 0
}

function depth(name,    targets, count, i, deepest, d)
{
    if (name in done)
        return done[name]
    if (name in active) { # a jump to an assembler label is a loop
        if (known[name]) {
            print "recursion: " name | "cat >&2"
            failed = 1
        }
        return 0
    }
    active[name] = 1
    deepest = 0
    count = split(calls[name], targets, " ")
    for (i = 1; i <= count; i++) {
        d = call + depth(targets[i])
        if (d > deepest) {
            deepest = d
            next_[name] = targets[i]
        }
    }
    delete active[name]
    return done[name] = deepest + (known[name] ? frame[name] : pushed[name])
}

END {
    if (recursive) {
        print "recursion:" recursive | "cat >&2"
        failed = 1
    }
    count_of_roots = split(roots, root, " ")
    for (r = 1; r <= count_of_roots; r++) {
        if (!(root[r] in exists)) {
            print "no function " root[r] | "cat >&2"
            exit 1
        }
        d = call + depth(root[r])
        if (d >= most) {
            most = d
            deepest_root = root[r]
        }
    }
    path = most " " deepest_root
    for (name = deepest_root; name in next_; name = next_[name])
        path = path " > " next_[name]
    print path
    exit failed
}
