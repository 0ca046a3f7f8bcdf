# shellcheck shell=bash
# Sourced by up, check and the other scripts: messages, steps that show progress, locks, and processes that are
# known by more than their number.

# A pipe that nothing is ever written to: a sleep that is no process of its own and dies with its shell.
exec {nap_fd}<> <(:)
nap() { read -r -t "$1" -u "$nap_fd" _ || true; }

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }

# die WHAT [REMEDY]
die() {
    printf '\n%s: %s\n' "$(basename -- "$0")" "$1" >&2
    [ $# -lt 2 ] || printf 'What to do: %s\n' "$2" >&2
    exit 1
}

# Seconds since START (an EPOCHREALTIME), with one decimal.
seconds_since() {
    local now=${EPOCHREALTIME/[.,]/} then=${1/[.,]/} tenths
    tenths=$(((now - then) / 100000))
    printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

ticker_pid=
ticker_stop() {
    [ -z "$ticker_pid" ] || { kill "$ticker_pid" && wait "$ticker_pid"; } 2>/dev/null || true
    ticker_pid=
}

# step TITLE LOG COMMAND…: runs it with its output in LOG, a dot every two seconds, then the time it took.
# A failure shows the end of the log and ends the script. Not to be called in a condition: set -e would be off.
step() {
    local title=$1 log=$2 start=$EPOCHREALTIME from rc
    shift 2
    from=$(($(wc -l 2>/dev/null <"$log" || echo 0) + 1))
    printf '%-46s' "$title"
    { while nap 2; do printf '.'; done; } 2>/dev/null &
    ticker_pid=$!
    set +e
    (set -e; ticker_pid=; "$@") </dev/null >>"$log" 2>&1
    rc=$?
    set -e
    ticker_stop
    if [ $rc -ne 0 ]; then
        printf ' failed\n'
        tail -n "+$from" -- "$log" | tail -n 30 | sed 's/^/    /' >&2
        die "'$title' failed (exit $rc)" "read ${log_kept_as:-$log} from line $from"
    fi
    printf ' %s s\n' "$(seconds_since "$start")"
}

# take_lock FILE: waits until no other run holds it; let_lock gives it back. One at a time per script.
take_lock() {
    exec {lock_fd}>"$1"
    flock -n "$lock_fd" || { warn "waiting for another run, which holds $1"; flock "$lock_fd"; }
}
let_lock() { exec {lock_fd}>&-; }

# random_text N: N letters and digits.
random_text() {
    local text=
    while [ ${#text} -lt "$1" ]; do
        text+=$(head -c 256 /dev/urandom | LC_ALL=C tr -dc 'A-Za-z0-9')
    done
    printf '%s' "${text:0:$1}"
}

# write_if_changed FILE: standard input becomes FILE, whose time changes only when its content does.
write_if_changed() {
    cat >"$1.new"
    if cmp -s -- "$1.new" "$1"; then rm -f -- "$1.new"; else mv -f -- "$1.new" "$1"; fi
}

# ---- processes: NAME.pid holds the number, NAME.start boot and start time, so that a reused number is no match

# proc_birth PID: boot id and start tick of a live process; fails for a dead one or a zombie.
proc_birth() {
    local line boot
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
    read -r boot </proc/sys/kernel/random/boot_id
    line=${line##*) }
    [ "${line%% *}" != Z ] || return 1
    # shellcheck disable=SC2086 # the fields of /proc/PID/stat after the name; start time is the 22nd of all
    set -- $line
    printf '%s %s' "$boot" "${20}"
}

# pid_of DIR NAME: prints the number if that very process still runs.
pid_of() {
    local pid born
    { read -r pid <"$1/$2.pid" && read -r born <"$1/$2.start"; } 2>/dev/null || return 1
    [ "$(proc_birth "$pid")" = "$born" ] || return 1
    printf '%s' "$pid"
}

# spawn DIR NAME LOG COMMAND…: starts a process in a session of its own that outlives the script.
spawn() {
    local dir=$1 name=$2 log=$3 pid
    shift 3
    (
        for fd in /proc/self/fd/*; do
            fd=${fd##*/}
            [ "$fd" -le 2 ] || eval "exec $fd>&-" 2>/dev/null || true
        done
        exec setsid "$@"
    ) </dev/null >>"$log" 2>&1 &
    pid=$!
    printf '%s\n' "$pid" >"$dir/$name.pid"
    proc_birth "$pid" >"$dir/$name.start" || true
    printf '\n' >>"$dir/$name.start"
}

# end_process DIR NAME SECONDS: asks it to end, waits, and only then forces it.
end_process() {
    local pid tries=$(($3 * 20))
    if pid=$(pid_of "$1" "$2"); then
        kill -TERM "$pid" 2>/dev/null || true
        while [ $tries -gt 0 ] && pid_of "$1" "$2" >/dev/null; do
            nap 0.05
            tries=$((tries - 1))
        done
        if pid_of "$1" "$2" >/dev/null; then
            warn "$2 (process $pid) did not end within $3 s; forcing it"
            kill -KILL "$pid" 2>/dev/null || true
            while pid_of "$1" "$2" >/dev/null; do nap 0.05; done
        fi
    fi
    rm -f -- "$1/$2.pid" "$1/$2.start" "$1/$2.print"
}
