# shellcheck shell=bash disable=SC2154,SC2034
# Sourced by check: the suites. Each adds to suite_passed and suite_failed and says what failed.

plain_build=$source_dir/var/build
clang_build=$source_dir/var/build-clang
fuzz_build=$source_dir/var/build-fuzz
sanitize_build=$source_dir/var/build-sanitize

# A report of the sanitizers ends the program with this, and so does one of valgrind.
finding_exit=99

# run_suite NAME: heading, the suite, its counts and time. No test at all is a failure.
run_suite() {
    local start=$EPOCHREALTIME
    suite_passed=0 suite_failed=0 suite_skipped=0
    printf '\n== %s\n' "$1"
    "suite_$1"
    if [ $((suite_passed + suite_failed)) -eq 0 ]; then
        say "no test ran: that counts as a failure"
        suite_failed=1
    fi
    printf '%s: %d passed, %d failed' "$1" "$suite_passed" "$suite_failed"
    [ "$suite_skipped" -eq 0 ] || printf ', %d skipped' "$suite_skipped"
    printf ' (%s s)\n' "$(seconds_since "$start")"
    passed=$((passed + suite_passed)) failed=$((failed + suite_failed))
}

good() { suite_passed=$((suite_passed + ${1:-1})); }
bad() { suite_failed=$((suite_failed + ${1:-1})); }

# attempt TITLE COMMAND…: like step, but a failure is noted in attempt_ok and the run goes on. Not to be called in
# a condition: set -e would be off in the command.
attempt() {
    local title=$1
    shift
    set +e
    (set -e; step "$title" "$check_log" "$@")
    case $? in 0) attempt_ok=yes ;; *) attempt_ok=no ;; esac
    set -e
}

# ---- counting --------------------------------------------------------------------------------------------

# count_tap FILE EXIT-CODE NAME: adds up the "ok" lines of a TAP run. A run that ends badly although no test said
# so (a crash, a sanitizer's report, a plan not fulfilled) is one failure.
count_tap() {
    local ok not_ok skipped planned
    skipped=$(grep -c -i -E '^(not )?ok .*# skip' "$1") || true
    ok=$(grep -v -i '# skip' "$1" | grep -c '^ok ') || true
    not_ok=$(grep -v -i '# skip' "$1" | grep -c '^not ok ') || true
    planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$1" | awk '{n += $1} END {print n + 0}')
    good "$ok"
    bad "$not_ok"
    suite_skipped=$((suite_skipped + skipped))
    if [ "$not_ok" -eq 0 ] && { [ "$2" -ne 0 ] || [ "$planned" -ne $((ok + skipped)) ]; }; then
        bad
        not_ok=1
        say "    $3: ended with $2 after $ok of $planned tests"
    fi
    if [ "$not_ok" -gt 0 ]; then
        say "    $3 failed:"
        show_failure "$1"
    fi
}

show_failure() { { grep -v -E '^(ok |1\.\.|TAP version)' "$1" || true; } | head -n 30 | sed 's/^/        /' || true; }

# count_node FILE EXIT-CODE NAME: the totals that Node's runner prints at the end of its TAP output.
count_node() {
    local pass fail cancelled skipped
    pass=$(sed -n 's/^# pass //p' "$1" | tail -n 1)
    fail=$(sed -n 's/^# fail //p' "$1" | tail -n 1)
    cancelled=$(sed -n 's/^# cancelled //p' "$1" | tail -n 1)
    skipped=$(sed -n 's/^# skipped //p' "$1" | tail -n 1)
    suite_skipped=$((suite_skipped + ${skipped:-0}))
    good "${pass:-0}"
    bad $((${fail:-0} + ${cancelled:-0}))
    if [ "$2" -ne 0 ]; then
        [ $((${fail:-0} + ${cancelled:-0})) -gt 0 ] || bad
        say "    $3 failed:"
        { awk '/^ *not ok /{show = 1} /^ *stack:/{show = 0} /^ *ok /{show = 0}
            show && !/^ *(duration_ms|type:|failureType|code:|name:|---|\.\.\.|# )/ && NF' "$1" || true; } |
            head -n 80 | sed 's/^/        /'     # head is done first: what awk still writes then must not end the run
        sed -n 's/^ *# \(LOCI_SEED=[0-9]*\)$/        \1/p' "$1" | sort -u
    fi
}

# is_wanted FILE: LOCI_ONLY (an extended regular expression over file names) chooses among the tests of a suite.
is_wanted() { [[ $(basename -- "$1") =~ ${LOCI_ONLY:-.} ]]; }

# ---- once more --------------------------------------------------------------------------------------------

# A file that failed is run once more by itself, on a stack of its own, in runs of everything (or with LOCI_AGAIN=1). If it passes
# then, it is called flaky, and the next commit mends it. Where many fail, it is no chance.
again=() again_most=5 again_nth=0 is_again=no

# may_run_again NAME EXIT-CODE: true when the failure is not counted yet.
may_run_again() {
    [ "$2" -ne 0 ] && [ $is_again = no ] && [ -z "${LOCI_ONLY:-}${LOCI_AGAIN:-}" -o "${LOCI_AGAIN:-}" = 1 ] && [ ${#again[@]} -lt $again_most ] || return 1
    again+=("$1")
    say "    $1 failed, and is run again:"
    { grep -E '^ *not ok ' "$check_dir/log/$1.$suite_now.tap" || true; } | head -n 5 | sed 's/^/        /'
    cp -- "$check_dir/log/$1.$suite_now.tap" "$check_dir/log/$1.$suite_now.first.tap"
}

# run_again RUN TELL [STACKS]: STACKS yes: each with a fresh stack.
run_again() {
    local name code start failed_before
    is_again=yes
    for name in ${again[@]+"${again[@]}"}; do
        again_nth=$((again_nth + 1)) failed_before=$suite_failed start=$EPOCHREALTIME code=0
        if [ "${3:-no}" = yes ]; then
            attempt "a fresh stack" serve_stack "$lane_stack-again$again_nth" "$lane_build"
        fi
        ("$1" "$name" "again$again_nth") >"$check_dir/log/$name.$suite_now.tap" 2>&1 </dev/null || code=$?
        "$2" "$name" "$code" "$(seconds_since "$start")"
        [ "${3:-no}" = no ] || (stack_open "$check_dir/stack-$lane_stack-again$again_nth" && stack_stop) >>"$check_log" 2>&1 || true
        [ "$suite_failed" -gt "$failed_before" ] || say "flaky: $name"
    done
    again=() is_again=no
}

# ---- runners ---------------------------------------------------------------------------------------------

# run_units BUILD-DIR SECONDS [PREFIX…]: every unit test program; each starts a database and a Redis of its own.
run_units() {
    local build=$1 seconds=$2 source names=()
    shift 2
    local prefix=("$@")
    for source in "$source_dir"/tests/unit/test_*.c; do
        ! is_wanted "$source" || names+=("$(basename -- "$source" .c)")
    done
    run_in_lanes unit_in_lane tell_unit "${names[@]}"
    run_again unit_in_lane tell_unit
}

unit_in_lane() {
    cd -- "$source_dir"
    export LOCI_PATHS_DATA=$source_dir CMOCKA_MESSAGE_OUTPUT=TAP srcdir=$source_dir
    exec timeout -k 5 "$seconds" "${prefix[@]}" "$build/tests/unit/$1"
}

# Says which take long.
tell_unit() {
    local out=$check_dir/log/$1.$suite_now.tap
    [ "${3%.*}" -lt 5 ] || printf '    %-42s %s s\n' "$1" "$3"
    if [ "$2" -eq 77 ]; then
        suite_skipped=$((suite_skipped + 1))
        say "    $1 skipped: $(tail -n 1 -- "$out")"
    elif ! may_run_again "$1" "$2"; then
        count_tap "$out" "$2" "$1"
    fi
}

# run_node FOLDER SECONDS: each test file by itself in its lane's stack (layers needs none), so that one that kills
# processes disturbs no other; what a file left stopped is started again before the next, and no job starts by the clock.
run_node() {
    local folder=$1 seconds=$2 file names=()
    for file in "$source_dir/tests/$1"/*.test.mjs; do
        ! is_wanted "$file" || names+=("$(basename -- "$file")")
    done
    run_in_lanes node_in_lane tell_node "${names[@]}"
    run_again node_in_lane tell_node "$([ "$folder" = layers ] && echo no || echo yes)"
}

# loci-web (both) and loci-scheduler must live as long as the file does not end them itself, by way of scripts/stack.sh: one that
# ended by itself fails the file, whatever its tests say.
node_in_lane() {
    local code falls
    cd -- "$source_dir"
    if [ "$folder" != layers ]; then
        use_stack "$lane_stack-$2" "$lane_build"
        if stack_is_ahead; then renew_stack "$lane_stack-$2" "$lane_build" >>"$check_log" 2>&1; fi     # in no condition: set -e
        { stack_start && clock_jobs_wait; } >>"$check_log" 2>&1 || { say "not ok 1 - the stack does not start"; exit 1; }
    fi
    [ "$folder" = layers ] || peak_begin
    timeout -k 5 "$seconds" node --test --test-reporter=tap "tests/$folder/$1" &
    trap 'kill "$!" 2>/dev/null; exit 143' TERM
    wait "$!" && code=0 || code=$?
    [ "$folder" = layers ] || { falls=$(stack_falls); peak_end "$1"; }
    [ -z "${falls:-}" ] || tell_falls "$falls"
    exit "$code"
}

# The end of its log says why, unless it was a signal.
tell_falls() {
    local name
    while read -r name _; do
        say "not ok 1 - $name ended by itself: $(grep -v '^{' "$LOCI_STACK/log/$name.log" | tail -n 3 | tr '\n' ' ')"
    done <<<"$1"
    code=1
}

tell_node() {
    printf '    %-42s %s s\n' "$1" "$3"
    if [ "$suite_now" = api ] && ! watch_memory "$1"; then
        ! may_run_again "$1" 1 || return 0       # what the file before it left behind is not its own
        bad
    fi
    may_run_again "$1" "$2" || count_node "$check_dir/log/$1.$suite_now.tap" "$2" "$1"
}

# The most memory that a loci-web may take at any time of the API tests, in MB. The kernel keeps the peak of a process (VmHWM); it is
# begun anew with each file, so that the file is named that has it. A process that a test ends takes its peak along.
web_memory_mb=300 web_peak_mb=0 web_peak_file=

web_pids() {
    local name
    for name in web web2; do pid_of "$LOCI_STACK/run" "$name" && echo || true; done
}

peak_begin() {
    local pid
    for pid in $(web_pids); do echo 5 2>/dev/null >"/proc/$pid/clear_refs" || true; done
}

peak_end() {
    local pid
    for pid in $(web_pids); do awk '/^VmHWM:/ {print int($2 / 1024)}' "/proc/$pid/status" 2>/dev/null || true; done | sort -n | tail -n 1 >"$check_dir/log/$1.peak"
}

watch_memory() {
    local mb=0
    read -r mb <"$check_dir/log/$1.peak" || true
    if [ "${mb:-0}" -gt "$web_peak_mb" ]; then web_peak_mb=$mb web_peak_file=$1; fi
    [ "${mb:-0}" -ge "$web_memory_mb" ] || return 0
    say "    a loci-web took $mb MB in $1, which is more than $web_memory_mb MB"
    return 1
}

# ---- suites ----------------------------------------------------------------------------------------------

suite_layers() {
    suite_now=layers
    LOCI_ONLY= run_node layers 120
}

suite_build() {
    attempt "gcc, warnings are errors" configure_and_make "$plain_build" "all build-tests" --prefix=/usr/local
    count_attempt
    attempt "clang, warnings are errors" configure_and_make "$clang_build" "all build-tests" \
        --prefix=/usr/local CC=clang-14
    count_attempt
}

count_attempt() { if [ "$attempt_ok" = yes ]; then good; else bad; fi; }

# make_for_tests DIR CONFIGURE-ARGUMENT…: builds there. Says in attempt_ok whether it could.
make_for_tests() {
    local build=$1
    shift
    attempt "building" configure_and_make "$build" "all build-tests" "$@"
    [ "$attempt_ok" = yes ] || bad
}

# make_stacks NAME BUILD-DIR CONFIGURE-ARGUMENT…: builds, and serves a stack in each lane. Says in attempt_ok whether
# all stand.
make_stacks() {
    local lane
    lane_stack=$1 lane_build=$2
    shift 2
    make_for_tests "$lane_build" "$@"
    for ((lane = 1; lane <= lanes; lane++)); do
        [ "$attempt_ok" = yes ] || return 0
        attempt "throw-away stack $lane" serve_stack "$lane_stack-$lane" "$lane_build"
        [ "$attempt_ok" = yes ] || bad
    done
}

serve_stack() {
    throwaway_stack "$1" "$2"
    use_stack "$1" "$2"
    throwaway_serve
}

# A file that moved the clock leaves rows of the future behind: the next one gets a fresh stack.
stack_is_ahead() { [ -s "$LOCI_STACK/run/clock" ] && ! cmp -s -i 8:0 -n 8 -- "$LOCI_STACK/run/clock" /dev/zero; }

# Its logs stay: the sanitizers' reports are looked for there.
renew_stack() {
    local old
    old=$(mktemp -d "$check_dir/stack-$1-ahead-XXXX")
    stack_stop
    stack_drop_links
    mv -- "$LOCI_STACK/log" "$old/log"
    rm -rf -- "${check_dir:?}/stack-$1"
    serve_stack "$1" "$2"
    use_stack "$1" "$2"                  # now that it has an account
}

suite_unit() {
    suite_now=unit
    make_for_tests "$plain_build" --prefix=/usr/local
    [ "$attempt_ok" = no ] || run_units "$plain_build" 300
}

suite_api() {
    suite_now=api
    make_stacks plain "$plain_build" --prefix=/usr/local
    [ "$attempt_ok" = yes ] || return 0
    run_node api "${LOCI_TEST_S:-600}"
    say "    most memory of a loci-web: $web_peak_mb MB, in ${web_peak_file:-none} (limit $web_memory_mb)"
}

suite_browser() {
    local lanes=2                        # a browser is at work all the time
    suite_now=browser
    make_stacks plain "$plain_build" --prefix=/usr/local
    [ "$attempt_ok" = no ] || run_node browser 1800
}

# The interfaces before judges from outside, which are installed only here.
suite_rest() { judged rest; }
suite_mcp() { judged mcp; }

judged() {
    suite_now=$1
    attempt "npm packages of the judges" fetch_judges
    if [ "$attempt_ok" = no ]; then
        bad
        return
    fi
    make_stacks plain "$plain_build" --prefix=/usr/local
    [ "$attempt_ok" = no ] || run_node "$suite_now" 1800
}

# Connector/C's questions that do not wait run on a stack of their own (64 kB, on the heap). Valgrind takes a jump between
# stacks for a push or a pop unless it is longer than the frame it is told of: then what is in use counts as popped. Our
# longest frames hold a buffer of 65,536 bytes.
suite_valgrind() {
    suite_now=valgrind
    make_for_tests "$plain_build" --prefix=/usr/local
    [ "$attempt_ok" = no ] || LOCI_SLOW=valgrind run_units "$plain_build" 600 valgrind -q --error-exitcode=$finding_exit \
        --max-stackframe=80000 --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite
}

# Each target runs once over every input that was kept.
suite_fuzz() {
    local target name out
    attempt "building the fuzz targets" configure_and_make "$fuzz_build" build-tests --enable-fuzz CC=clang-14
    if [ "$attempt_ok" = no ]; then
        bad
        return
    fi
    for target in "$source_dir"/tests/fuzz/fuzz_*.c; do
        [ -e "$target" ] || continue
        name=$(basename -- "$target" .c)
        out=$check_dir/log/$name.log
        if [ ! -d "$source_dir/tests/fuzz/corpus/${name#fuzz_}" ]; then
            bad
            say "    $name has no corpus (tests/fuzz/corpus/${name#fuzz_}/)"
        elif timeout -k 5 600 "$fuzz_build/tests/fuzz/$name" -runs=0 -timeout=60 \
            "$source_dir/tests/fuzz/corpus/${name#fuzz_}" >"$out" 2>&1 </dev/null; then
            good
        else
            bad
            say "    $name failed:"
            tail -n 30 -- "$out" | sed 's/^/        /'
        fi
    done
}

suite_sanitize() {
    suite_now=sanitize
    export ASAN_OPTIONS=exitcode=$finding_exit:detect_leaks=1:detect_stack_use_after_return=1
    export UBSAN_OPTIONS=print_stacktrace=1:exitcode=$finding_exit LOCI_SLOW=sanitize
    export LSAN_OPTIONS="suppressions=\"$source_dir/tests/lsan.supp\":print_suppressions=0"
    sanitize_units_and_api
    unset LSAN_OPTIONS ASAN_OPTIONS UBSAN_OPTIONS LOCI_SLOW
}

sanitize_units_and_api() {
    make_stacks sanitize "$sanitize_build" --enable-sanitizers
    [ "$attempt_ok" = yes ] || return 0
    run_units "$sanitize_build" 600
    run_node api 600
    attempt "stopping" stop_stacks web web2 scheduler
    [ "$attempt_ok" = yes ] || bad
    sanitize_reports
}

# stop_stacks SERVICE…: of every lane. Stopping is part of the test: leaks are reported then.
stop_stacks() {
    local lane
    for ((lane = 1; lane <= lanes; lane++)); do
        use_stack "$lane_stack-$lane" "$lane_build"
        stack_stop "$@"
    done
}

sanitize_reports() {
    local file reports
    reports=$(grep -l -E 'ERROR: (Address|Leak)Sanitizer|runtime error:' "$check_dir/stack-$lane_stack"-*/log/*.log) || true
    if [ -z "$reports" ]; then
        good
        return
    fi
    bad
    for file in $reports; do
        say "    the sanitizers report in ${file#"$check_dir"/}:"
        grep -m 1 -A 30 -E 'ERROR: (Address|Leak)Sanitizer|runtime error:' "$file" | sed 's/^/        /'
    done
}
