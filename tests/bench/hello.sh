# shellcheck shell=bash disable=SC2154,SC2034
# Sourced by the benches of the HTTP path: the bare program that loci-web is measured against, and how rates are taken.

# A server of its own, so that nothing of ours stands in the way of the bare program.
bench_server() {
    cat <<END
upstream bench_hello { server unix:$stack_safe/run/hello.sock; keepalive 8; }
server {
    listen 127.0.0.1:$bench_port;
    access_log off;
    location = /static.txt { root $stack_safe/tmp; }
    location / {
        fastcgi_pass bench_hello;
        fastcgi_keep_conn on;
        include /etc/nginx/fastcgi_params;
    }
}
END
}

start_hello() {
    stack_sql loci "CREATE TABLE IF NOT EXISTS bench_hello (id BIGINT PRIMARY KEY AUTO_INCREMENT, body VARCHAR(400) NOT NULL);
        INSERT INTO bench_hello (body) SELECT REPEAT('tide ', 16) FROM seq_1_to_1000"
    "$plain_build/tests/bench/hello" "$stack_safe/run/hello.sock" 16 "$stack_safe/run/db.sock" loci loci \
        "$stack_safe/run/redis.sock" <"$stack_safe/conf/db.password" >"$LOCI_STACK/log/hello.log" 2>&1 &
    hello_pid=$!
    until [ -S "$stack_safe/run/hello.sock" ]; do nap 0.05; done
}

# rate URL [LUA]: requests a second; anything but 2xx ends the bench.
rate() {
    local out
    out=$(wrk -t 2 -c $connections -d "${seconds}s" -H "Authorization: Bearer $LOCI_TOKEN" ${2:+-s "$2"} "$1")
    if grep -q 'Non-2xx\|Socket errors' <<<"$out"; then
        warn "$out"
        die "$1 did not answer well"
    fi
    awk '/requests in/ { print $1 }' <<<"$out" >"$LOCI_STACK/tmp/requests"
    awk '/Requests\/sec/ { printf "%.0f", $2 }' <<<"$out"
}

# cpu_ticks NAME…: processor time that these have used so far, in ticks; of nginx its workers.
cpu_ticks() {
    local name pid pids=()
    for name in "$@"; do
        if [ "$name" = hello ]; then pid=$hello_pid; else pid=$(pid_of "$LOCI_STACK/run" "$name"); fi
        pids+=("$pid")
        # shellcheck disable=SC2046 # one word for each child
        [ "$name" != nginx ] || pids+=($(cat "/proc/$pid/task/$pid/children"))
    done
    # shellcheck disable=SC2001 # a name may hold spaces
    for pid in "${pids[@]}"; do sed 's/.*) //' "/proc/$pid/stat"; done | awk '{ n += $12 + $13 } END { print n }'
}

# What is done behind the answers counts, too: it is waited for.
cpu_settled() {
    local before after=0 calm=0
    while [ $calm -lt 3 ]; do
        before=$after after=$(cpu_ticks "$@")
        if [ $((after - before)) -le 2 ]; then calm=$((calm + 1)); else calm=0; fi
        nap 0.2
    done
}

# measure NAME URL [LUA]: like rate, into NAME.rates; and into NAME.PART the microseconds of processor time a request cost.
measure() {
    local part parts=(nginx web db redis scheduler hello) n
    declare -A before
    for part in "${parts[@]}"; do before[$part]=$(cpu_ticks "$part"); done
    rate "$2" "$3" >>"$LOCI_STACK/tmp/$1.rates"
    echo >>"$LOCI_STACK/tmp/$1.rates"
    n=$(cat "$LOCI_STACK/tmp/requests")
    cpu_settled "${parts[@]}"
    for part in "${parts[@]}"; do
        awk -v t=$(($(cpu_ticks "$part") - before[$part])) -v n="$n" -v hz="$(getconf CLK_TCK)" \
            'BEGIN { printf "%.1f\n", t / hz * 1e6 / n }' >>"$LOCI_STACK/tmp/$1.$part"
    done
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# Of the medians kept in `of`.
ratio() { awk -v a="${of[$1]}" -v b="${of[$2]}" 'BEGIN { printf "%.2f", a / b }'; }
