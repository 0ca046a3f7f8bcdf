# shellcheck shell=bash disable=SC2154
# Sourced by check: runs test programs and test files beside each other, and tells of them in their order.

# Most of a test is waiting, so there are more lanes than cores. A lane's test meets nobody else's: a unit test program has
# servers of its own, and each lane has a stack for the tests that speak HTTP.
lanes=${LOCI_LANES:-3}               # LOCI_LANES: of a check inside a check
lane_pids=()

# run_in_lanes RUN TELL ITEM…: `RUN ITEM LANE` in the background for each, one at a time in each lane; `TELL ITEM EXIT-CODE
# SECONDS` here, in their order.
run_in_lanes() {
    local run=$1 tell=$2 lane item code took
    shift 2
    lane_dir=$check_dir/lanes/$suite_now
    rm -rf -- "$lane_dir"
    mkdir -p -- "$lane_dir"
    for ((lane = 1; lane <= lanes; lane++)); do
        lane "$lane" "$run" "$@" &
        lane_pids+=("$!")
    done
    for item in "$@"; do
        until [ -e "$lane_dir/$item.end" ] || ! lane_runs; do
            nap 0.2 &                    # a trap that runs inside read may end bash; inside wait it is safe
            wait "$!" || true
        done
        code=1 took=0
        read -r code took 2>/dev/null <"$lane_dir/$item.end" || true
        "$tell" "$item" "$code" "$took"
    done
    lanes_end
}

# lane LANE RUN ITEM…: what no other lane has taken. What runs ends with its lane.
lane() {
    local lane=$1 run=$2 item code start child=
    shift 2
    trap 'kill $child 2>/dev/null; exit 143' TERM
    for item in "$@"; do
        mkdir -- "$lane_dir/$item" 2>/dev/null || continue
        start=$EPOCHREALTIME code=0
        "$run" "$item" "$lane" >"$check_dir/log/$item.$suite_now.tap" 2>&1 </dev/null &
        child=$!
        wait "$child" || code=$?
        printf '%s %s\n' "$code" "$(seconds_since "$start")" >"$lane_dir/$item.new"
        mv -- "$lane_dir/$item.new" "$lane_dir/$item.end"
    done
}

lane_runs() {
    local pid
    for pid in "${lane_pids[@]}"; do ! kill -0 "$pid" 2>/dev/null || return 0; done
    return 1
}

# After the last of them, or when a run is broken off.
lanes_end() {
    local pid
    for pid in "${lane_pids[@]}"; do
        kill -TERM "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    lane_pids=()
}
