# shellcheck shell=bash disable=SC2154,SC2034
# Sourced by check: a directory var/check-XXXX that holds the stacks of one run and goes when the run ends.

throwaway_open() {
    throwaway_sweep
    mkdir -p -- "$work_dir"
    check_dir=$(mktemp -d "$work_dir/check-XXXXXX")
    mkdir -p -- "$check_dir/log"
    check_log=$check_dir/log/check.log
    log_kept_as=$work_dir/log/check-failed/check.log
    : >"$check_log"
    printf '%s\n' "$$" >"$check_dir/owner.pid"
    proc_birth "$$" >"$check_dir/owner.start"
    printf '\n' >>"$check_dir/owner.start"
    trap throwaway_abort EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}

# What a run that was killed left behind: its processes are ended and its directory removed.
throwaway_sweep() {
    local old
    for old in "$work_dir"/check-*/; do
        old=${old%/}
        [ -e "$old/owner.pid" ] || continue
        pid_of "$old" owner >/dev/null || throwaway_remove "$old"
    done
}

throwaway_remove() {
    local dir
    for dir in "$1"/stack-*/ "$1"/recipe/var/check-*/stack-*/; do
        [ -e "$dir/stack.env" ] || continue
        (
            stack_open "${dir%/}"
            stack_stop
            stack_drop_links
        )
    done
    rm -rf -- "$1"
}

# A run that could not be finished ends in a count, too, and it is no success.
throwaway_abort() {
    throwaway_close
    printf '%d passed, %d failed\n' "${passed:-0}" $((${failed:-0} + 1))
}

# Ends everything; the logs stay when something failed.
throwaway_close() {
    local rc=$? kept=$work_dir/log/check-failed
    trap - EXIT
    ticker_stop
    lanes_end
    [ -n "${check_dir:-}" ] && [ -d "$check_dir" ] || return 0
    if [ "${LOCI_KEEP:-}" = 1 ]; then
        say "kept: $check_dir (its stacks run; LOCI_STACK=$check_dir/stack-plain-1 scripts/stack.sh stop ends one)"
        rm -f -- "$check_dir/owner.pid"
        return 0
    fi
    if [ $rc -ne 0 ] || [ "${failed:-0}" -gt 0 ]; then
        rm -rf -- "$kept"
        mkdir -p -- "$kept"
        cp -r -- "$check_dir/log/." "$kept/"
        for dir in "$check_dir"/stack-*/; do
            [ ! -d "$dir/log" ] || cp -r -- "$dir/log" "$kept/$(basename -- "$dir")"
        done
        say "logs of this run: $kept"
    fi
    throwaway_remove "$check_dir"
    check_dir=
}

# free_port: a loopback port that nobody listens on or was told before, below the range that outgoing connections take
# theirs from.
free_port() {
    local port
    while :; do
        port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
        mkdir -- "$check_dir/port-$port" 2>/dev/null || continue
        (exec {_fd}<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    printf '%s' "$port"
}

# throwaway_stack NAME BUILD-DIR: a stack of copies of the programs that BUILD-DIR holds, with database and Redis
# running. Run in a step, so it leaves its answer in the directory; use_stack takes it up.
throwaway_stack() {
    local dir=$check_dir/stack-$1 program
    [ ! -e "$dir/stack.env" ] || return 0
    mkdir -p -- "$dir/bin"
    for program in loci-web loci-scheduler locictl loci-extract; do
        [ ! -e "$2/$program" ] || cp -- "$2/$program" "$dir/bin/"
    done
    ln -sfn -- "$2/models" "$dir/bin/models"
    # Cheap password hashes, a rate that a test suite does not reach by accident, and, for it, a queue of vectors that it overflows.
    stack_create "$dir" "$source_dir" "$dir/bin" "$(free_port)" "$(free_port)" 192M "argon_fast = yes
[http]
rate_per_s = 5000
rate_burst = 10000
[session]
login_tries = 200
[embed]
queue = ${throwaway_queue:-65536}
[debug]
clock_file = $dir/run/clock"
    stack_start db redis
    stack_grant
}

# throwaway_serve: everything else, with an account to test as.
throwaway_serve() {
    [ ! -e "$LOCI_STACK/dev.env" ] || return 0
    first_schema
    first_account
    stack_start
    wait_ready
    first_token
    write_dev_env
}

# clock_jobs_wait: what the timetable would start by the clock (at 04:00, every ten minutes) does not come in between: a test
# that wants such a job runs it. So tests are the same at every hour. What goes on all the time (@every) goes on here, too.
# Waits until the scheduler has declared its jobs and no run of that kind is open.
clock_jobs_wait() {
    local tries=300 still
    until still=$(stack_sql loci "UPDATE job SET next_fire_at = '2999-12-31' WHERE schedule NOT LIKE '@every%';
        SELECT EXISTS (SELECT 1 FROM scheduler) AND NOT EXISTS (SELECT 1 FROM job_run r JOIN job j ON j.name = r.job_name
            WHERE r.top = 1 AND r.status IN ('waiting', 'running') AND r.\`trigger\` <> 'manual'
            AND j.schedule NOT LIKE '@every%')") && [ "$still" = 1 ]; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || { echo "a job of the clock does not end, or no scheduler is there"; return 1; }
        nap 0.1
    done
}

# use_stack NAME BUILD-DIR: what the tests of this stack find in their environment.
use_stack() {
    stack_open "$check_dir/stack-$1"
    export LOCI_STACK LOCI_BUILD=$2 LOCI_CTL=$stack_bin/locictl LOCI_CONF=$stack_safe/conf/loci.conf
    export LOCI_DB_SOCKET=$stack_safe/run/db.sock LOCI_REDIS_SOCKET=$stack_safe/run/redis.sock
    if [ -e "$LOCI_STACK/dev.env" ]; then
        set -a
        # shellcheck disable=SC1091 # written by write_dev_env
        . "$LOCI_STACK/dev.env"
        set +a
        export LOCI_URL2=http://127.0.0.1:$stack_port2
    fi
}
