#!/bin/bash
# Measures what tracing costs: nanoseconds that tracers add to a call, and the time of whole programs.
# Prints lines `bench trace/CALL/TRACER NANOSECONDS ns`; the line of `none` is the call itself, that of `clock` what
# reading it takes.  The least of ROUNDS runs, in turn, each of which prints the best of 15 rounds.  A tracer has no line
# for a call that it does not record.
#   ROUNDS  how often each tracer runs (5)
#   PAIRS   how often each program runs with and without (11); 0: not
# Tracers that are not installed are named on standard error, with their packages.
set -u
cd "$(dirname "$0")/.." || exit 3
rounds=${ROUNDS:-5} pairs=${PAIRS:-11} dir=$PWD/build/bench/trace.d paje=$PWD/build/paje
make -s paje || exit 1
rm -rf "$dir" && mkdir -p "$dir" || exit 3
${CC:-cc} -std=gnu99 -O2 -finstrument-functions -o "$dir/instrumented" bench/trace.c -pthread || exit 1
${CC:-cc} -std=gnu99 -O2 -o "$dir/plain" bench/trace.c -pthread || exit 1
cd "$dir" || exit 3

calls='fflush write lock malloc function thread'
have() { command -v "$1" >/dev/null || { echo "bench/trace.sh: $1 is not measured (install $2)" >&2; return 1; }; }

# The tracers: each a function that runs the program, or fails if it cannot.
none() { ./instrumented "$@"; }
paje() { # the heap is measured by itself
    if [ "$1" = malloc ]; then "$paje" trace --record=heap -o paje.trace ./instrumented malloc
    else "$paje" trace --throttle=off -o paje.trace ./instrumented "$@"; fi
}
paje_off() { "$paje" trace --record=user -o off.trace ./instrumented "$@"; }
eztrace_20() { # one module at a time: with several, and with threads, it did not end here
    local module
    case $1 in write) module=posixio ;; lock) module=pthread ;; malloc) module=memory ;; *) return 1 ;; esac
    rm -rf eztrace.d
    timeout 20 eztrace -o eztrace.d -t $module ./plain "$@"
}
lttng_wrappers() {
    local session=bench-$$-$RANDOM
    case $1 in write | fflush) return 1 ;; esac
    lttng create $session --output="$dir/lttng.d" &&
        lttng enable-event -s $session -u 'lttng_ust_libc:*,lttng_ust_pthread:*,lttng_ust_cyg_profile:*' &&
        lttng start $session
    [ $? = 0 ] || return 1
    LD_PRELOAD=liblttng-ust-libc-wrapper.so:liblttng-ust-pthread-wrapper.so:liblttng-ust-cyg-profile.so \
        ./instrumented "$@" >lttng.out
    lttng stop $session && lttng destroy $session
    rm -rf lttng.d
    cat lttng.out
} 2>/dev/null
uftrace_013() { rm -rf uftrace.d && uftrace record -d uftrace.d ./instrumented "$@"; }

tracers='none paje paje_off'
have eztrace eztrace && tracers+=' eztrace_20'
have uftrace uftrace && tracers+=' uftrace_013'
if have lttng 'lttng-tools and liblttng-ust-dev'; then
    daemon=
    pgrep -x lttng-sessiond >/dev/null || { lttng-sessiond --daemonize --pidfile="$dir/lttng.pid" && daemon=1; } >/dev/null 2>&1
    tracers+=' lttng_wrappers'
fi

for ((round = 0; round < rounds; round++)); do
    for tracer in $tracers; do
        for call in $calls; do
            $tracer "$call" 2>/dev/null | sed -n "s,^\([a-z]* [0-9.]*\)\$,$tracer \1,p"
        done
    done
    none clock | sed 's/^/none /'
done >times.txt
[ "${daemon:-}" ] && kill "$(cat lttng.pid)"
awk -v tracers="$tracers" -v calls="clock $calls" '
    { key = $2 "/" $1; if (!(key in least) || $3 < least[key]) least[key] = $3 }
    END {
        n = split(tracers, tracer, " "); m = split(calls, call, " ")
        for (j = 1; j <= m; j++)
            for (i = 1; i <= n; i++) {
                key = call[j] "/" tracer[i]
                if (key in least)
                    printf "bench trace/%s %.1f ns\n", key, least[key] - (tracer[i] == "none" ? 0 : least[call[j] "/none"])
            }
    }' times.txt
for call in write function; do
    paje $call >/dev/null
    awk -v call=$call -v size="$(stat -c %s paje.trace)" \
        '/^[0-9]/ { lines++ } END { printf "bench trace/%s/bytes %.1f bytes a line\n", call, size / lines }' paje.trace
done

# Whole programs, with the default categories: the time of `paje trace` over that without, elapsed and of processors;
# the median of pairs.
# ratio NAME COMMAND...
ratio() {
    have "$2" "$2" || return
    local i way TIMEFORMAT='%R %U %S'
    for ((i = 0; i < pairs; i++)); do
        for way in '' "$paje trace -o program.trace"; do
            # shellcheck disable=SC2086
            { time $way "${@:2}" >program.out 2>/dev/null; } 2>&1
        done | paste -sd' '
    done >ratios
    for way in elapsed cpu; do
        awk -v way=$way '{ print way == "cpu" ? ($5 + $6) / ($2 + $3) : $4 / $1 }' ratios | sort -n |
            awk -v name="$1/$way" '{ v[NR] = $1 } END { printf "bench trace/%s %.3f times\n", name, v[int((NR + 1) / 2)] }'
    done
}
if [ "$pairs" -gt 0 ]; then
    head -c 30000000 /dev/urandom | base64 >input
    head -c 6000000 input >part
    ratio xz xz -T2 -0 --block-size=1MiB -k -c part
    ratio zstd zstd -T2 -9 -q -c input
    ratio pigz pigz -p2 -c input
    ratio sort sort --parallel=2 input
    ratio sqlite3 sqlite3 :memory: "create table t as with recursive n(i) as (select 1 union all select i + 1 from n
        limit 2000000) select i, i * 7 % 1000 as k from n; select k, sum(i) from t group by k order by 2 limit 3"
    ratio python3 "$(python3 -c 'import sys; print(sys.executable)')" -c 'print(sum(hash(str(i)) % 7 for i in range(5000000)) > 0)'
fi
