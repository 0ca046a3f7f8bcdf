#!/usr/bin/env bash
# shellcheck disable=SC2154 # the stack_ variables come from stack.env
# One private Loci: MariaDB, Redis, nginx, loci-web and loci-scheduler in one directory, over unix sockets and
# loopback. Sourced by up and check; by itself, with LOCI_STACK naming the directory of a stack, it is
#   scripts/stack.sh start|stop|restart|kill|status|pid|falls [db|redis|web|web2|scheduler|nginx]…
# where kill means SIGKILL, and no name means all.

stack_services=(db redis web web2 scheduler nginx)

# safe_path DIR ROOM: prints a path of DIR that fits a unix socket address (107 bytes) with ROOM to spare and holds
# no character that some configuration file reads as syntax. Where DIR itself does not, that is a link to it in a
# private directory whose name follows from DIR's, so that every run finds the same.
safe_path() {
    local dir=$1 base link
    if [[ $dir =~ ^[A-Za-z0-9_./+-]+$ ]] && [ ${#dir} -le $((107 - $2)) ]; then
        printf '%s' "$dir"
        return
    fi
    for base in "${TMPDIR:-/tmp}" /tmp "${XDG_RUNTIME_DIR:-/run/user/$(id -u)}"; do
        [[ $base =~ ^[A-Za-z0-9_./+-]+$ && ${#base} -le $((75 - $2)) && -w $base ]] || continue
        base=$base/loci-$(id -u)-$(printf '%s' "$dir" | sha256sum | cut -c 1-10)
        mkdir -m 700 -- "$base" 2>/dev/null || true
        [[ -d $base && ! -L $base && -O $base ]] || continue
        link=$base/at
        [ "$(readlink -- "$link")" = "$dir" ] || ln -sfn -- "$dir" "$link"
        printf '%s' "$link"
        return
    done
    die "no short directory for unix sockets" "set TMPDIR to a directory of at most 40 plain characters"
}

# stack_drop_links: removes what safe_path made for this stack, if anything.
stack_drop_links() {
    [ "$stack_safe" != "$LOCI_STACK" ] || return 0
    rm -f -- "${stack_safe%/at}"/{at,source}
    rmdir -- "${stack_safe%/at}" || true
}

# stack_open DIR: takes up a stack that stack_create wrote.
stack_open() {
    [ -r "$1/stack.env" ] || die "there is no stack in $1" "./up makes one"
    # shellcheck disable=SC1091 # written by stack_create
    . "$1/stack.env"
    LOCI_STACK=$1
    # What the stack decides is not overridden by what the caller's shell happens to export.
    unset LOCI_DB_SOCKET LOCI_DB_HOST LOCI_DB_USER LOCI_DB_PASSWORD LOCI_DB_NAME LOCI_REDIS_SOCKET LOCI_WEB_SOCKET
}

# stack_create DIR SOURCE BIN PORT PORT2 BUFFER-POOL [LINES]: writes every configuration file; LINES are added to
# loci.conf; PORT2 0: no second loci-web.
stack_create() {
    local dir=$1 safe source
    umask 077
    mkdir -p -- "$dir"/{run,log,conf,redis,upload,tmp,nginx/{loci,servers,tmp}}
    safe=$(safe_path "$dir" 24)
    source=$2
    if [ "$safe" != "$dir" ]; then
        source=${safe%/at}/source
        ln -sfn -- "$2" "$source"
    fi
    printf '%q\n' "stack_safe=$safe" "stack_source=$source" "stack_bin=$3" "stack_port=$4" "stack_port2=$5" |
        write_if_changed "$dir/stack.env"
    stack_open "$dir"
    stack_secrets
    stack_trim_logs
    stack_mariadb_conf "$6" | write_if_changed "$dir/conf/mariadb.cnf"
    stack_redis_conf | write_if_changed "$dir/conf/redis.conf"
    stack_loci_conf "${7:-}" | write_if_changed "$dir/conf/loci.conf"
    stack_nginx_conf
}

# A log that grew large is begun anew; one older part is kept. Their writers append, so they go on in the new one.
stack_trim_logs() {
    local file
    find "$LOCI_STACK/log" -name '*.log' -size +64M | while read -r file; do
        cp -- "$file" "$file.old" && : >"$file"
    done
}

stack_secrets() {
    local conf=$LOCI_STACK/conf
    [ -s "$conf/secret" ] || random_text 48 >"$conf/secret"
    [ -s "$conf/db.password" ] || random_text 32 >"$conf/db.password"
    [ -s "$conf/admin.password" ] || random_text 20 >"$conf/admin.password"
}

stack_mariadb_conf() {
    cat <<END
[mariadbd]
datadir = $stack_safe/db
socket = $stack_safe/run/db.sock
pid-file = $stack_safe/run/db.own.pid
tmpdir = $stack_safe/tmp
skip-networking
skip-name-resolve
character-set-server = utf8mb4
transaction-isolation = READ-COMMITTED
max_connections = 200
max_allowed_packet = 128M
innodb_buffer_pool_size = $1
innodb_log_file_size = 96M
innodb_flush_log_at_trx_commit = 1
END
    [ "$(id -u)" -ne 0 ] || echo "user = root"
}

stack_redis_conf() {
    cat <<END
port 0
unixsocket $stack_safe/run/redis.sock
unixsocketperm 700
dir $stack_safe/redis
appendonly yes
appendfsync everysec
save ""
daemonize no
END
}

stack_loci_conf() {
    cat <<END
[db]
socket = $stack_safe/run/db.sock
user = loci
password_file = $stack_safe/conf/db.password
name = loci
[redis]
socket = $stack_safe/run/redis.sock
[web]
socket = $stack_safe/run/web.sock
threads = 24
public_url = http://127.0.0.1:$stack_port
upload_dir = $stack_safe/upload
[transfer]
dir = $stack_safe/transfer
[scheduler]
threads = 2
[embed]
model_dir = $stack_bin/models
[intake]
extract = $stack_bin/loci-extract
[paths]
data = $stack_source
[log]
level = info
[security]
secret_file = $stack_safe/conf/secret
$1
END
}

stack_nginx_conf() {
    local nginx=$LOCI_STACK/nginx user_line='' file
    [ "$(id -u)" -ne 0 ] || user_line="user root;"
    for file in loci-http loci-server loci-pass loci-events; do
        write_if_changed "$nginx/loci/$file.conf" <"$stack_source/nginx/$file.conf"
    done
    sed -e "s|@user_line@|$user_line|" -e "s|@stack@|$stack_safe|" \
        "$stack_source/nginx/loci-dev.conf.in" | write_if_changed "$nginx/nginx.conf"
    stack_nginx_server web "$stack_port"
    [ "$stack_port2" = 0 ] || stack_nginx_server web2 "$stack_port2"
}

stack_nginx_server() {
    sed -e "s|@name@|$1|" -e "s|@port@|$2|" -e "s|@stack@|$stack_safe|" -e "s|@data@|$stack_source|" \
        "$stack_source/nginx/loci-dev-server.conf.in" | write_if_changed "$LOCI_STACK/nginx/servers/$1.conf"
}

# ---- the services: what each runs (its command line goes to service_command), and when it is ready

service_binary() {
    case $1 in
    db) PATH=$PATH:/usr/sbin command -v mariadbd ;;
    redis) command -v redis-server ;;
    nginx) PATH=$PATH:/usr/sbin command -v nginx ;;
    web | web2) echo "$stack_bin/loci-web" ;;
    scheduler) echo "$stack_bin/loci-scheduler" ;;
    *) die "no service is called '$1'" "one of: ${stack_services[*]}" ;;
    esac
}

service_command() {
    local binary
    binary=$(service_binary "$1")
    case $1 in
    db) command_line=("$binary" "--defaults-file=$stack_safe/conf/mariadb.cnf") ;;
    redis) command_line=("$binary" "$stack_safe/conf/redis.conf") ;;
    nginx) command_line=("$binary" -p "$stack_safe/nginx" -e "$stack_safe/log/nginx.log" -c "$stack_safe/nginx/nginx.conf") ;;
    web) command_line=("$binary" --config "$stack_safe/conf/loci.conf") ;;
    web2) command_line=(env "LOCI_WEB_SOCKET=$stack_safe/run/web2.sock" "$binary" --config "$stack_safe/conf/loci.conf") ;;
    scheduler) command_line=("$binary" --config "$stack_safe/conf/loci.conf") ;;
    esac
}

# What, when it changes, asks for a restart.
service_print() {
    case $1 in
    db) cat "$LOCI_STACK/conf/mariadb.cnf" ;;
    redis) cat "$LOCI_STACK/conf/redis.conf" ;;
    nginx) cat "$LOCI_STACK"/nginx/nginx.conf "$LOCI_STACK"/nginx/*/*.conf ;;
    web | web2 | scheduler)
        cat "$(service_binary "$1")" "$LOCI_STACK/conf/loci.conf"
        [ ! -d "$stack_source/templates" ] || find "$stack_source/templates/" -type f -printf '%p %T@\n' | sort
        ;;
    esac | sha256sum
}

# For a loci-web, replaced is the inode of the socket whose place it takes.
service_ready() {
    local run=$stack_safe/run
    case $1 in
    db) stack_sql "" "SELECT 1" >/dev/null 2>&1 ;;
    redis) [ "$(redis-cli -s "$stack_safe/run/redis.sock" ping 2>/dev/null)" = PONG ] ;;
    web | web2) [ -S "$run/$1.sock" ] && [ "$(stat -c %i -- "$run/$1.sock" 2>/dev/null)" != "${replaced:-}" ] ;;
    scheduler) true ;;
    nginx) curl -s -o /dev/null --max-time 2 "http://127.0.0.1:$stack_port/livez" ;;
    esac
}

# stack_sql DATABASE STATEMENTS: as the owner of the private server.
stack_sql() {
    mariadb --no-defaults --default-character-set=utf8mb4 -S "$stack_safe/run/db.sock" -u "$(id -un)" -N -B \
        ${1:+"$1"} -e "$2"
}

is_web() { [ "$1" = web ] || [ "$1" = web2 ]; }

# note_fall NAME: a process that was started, and was not ended by this script, must still be there. If it is not, that is
# written down, for who watches over the tests (stack_falls).
note_fall() {
    if [ -e "$LOCI_STACK/run/$1.pid" ] && ! pid_of "$LOCI_STACK/run" "$1" >/dev/null; then
        printf '%s (process %s) ended by itself\n' "$1" "$(cat "$LOCI_STACK/run/$1.pid")" >>"$LOCI_STACK/run/falls"
        rm -f -- "$LOCI_STACK/run/$1.pid" "$LOCI_STACK/run/$1.start"
    fi
}

# stack_falls: what ended by itself since it was asked last, a line each.
stack_falls() {
    local name
    for name in web web2 scheduler; do note_fall "$name"; done
    [ ! -e "$LOCI_STACK/run/falls" ] || { cat "$LOCI_STACK/run/falls"; rm -f -- "$LOCI_STACK/run/falls"; }
}

# service_start NAME: starts it unless it runs already, as it should be now; then waits until it is ready.
service_start() {
    local print
    print=$(service_print "$1")
    if pid_of "$LOCI_STACK/run" "$1" >/dev/null; then
        [ "$(cat "$LOCI_STACK/run/$1.print" 2>/dev/null)" != "$print" ] || return 0
        if is_web "$1"; then
            service_replace "$1"
            return
        fi
        service_stop "$1"
        print=$(service_print "$1")
    fi
    note_fall "$1"
    [ "$1" != db ] || [ -d "$LOCI_STACK/db/mysql" ] || service_init_db || return 1
    rm -f -- "$LOCI_STACK/run/$1.sock" "$LOCI_STACK/run/$1-events.sock"
    service_spawn "$1" || return 1
    printf '%s\n' "$print" >"$LOCI_STACK/run/$1.print"
}

# service_spawn NAME: runs it, and waits until it is ready.
service_spawn() {
    local tries=2400
    service_command "$1"
    spawn "$LOCI_STACK/run" "$1" "$LOCI_STACK/log/$1.log" "${command_line[@]}"
    until service_ready "$1"; do
        tries=$((tries - 1))
        if ! pid_of "$LOCI_STACK/run" "$1" >/dev/null || [ $tries -eq 0 ]; then
            warn "$1 did not start; the end of $LOCI_STACK/log/$1.log:"
            tail -n 15 -- "$LOCI_STACK/log/$1.log" >&2
            pid_of "$LOCI_STACK/run" "$1" >/dev/null || rm -f -- "$LOCI_STACK/run/$1.pid"
            return 1
        fi
        nap 0.05
    done
    pid_of "$LOCI_STACK/run" "$1" >/dev/null || { warn "$1 ended at once: see $LOCI_STACK/log/$1.log"; return 1; }
}

# service_replace NAME: a loci-web takes the place of the one that runs, which ends afterwards: no request is lost.
service_replace() {
    local run=$LOCI_STACK/run file rc=0 replaced
    replaced=$(stat -c %i -- "$run/$1.sock") || return 1
    for file in pid start; do mv -- "$run/$1.$file" "$run/$1-old.$file"; done
    service_spawn "$1" || rc=1
    if [ $rc -ne 0 ]; then
        for file in pid start; do mv -- "$run/$1-old.$file" "$run/$1.$file"; done
        return 1
    fi
    service_print "$1" >"$run/$1.print"
    end_process "$run" "$1-old" 15
}

service_stop() {
    local seconds=15
    note_fall "$1"
    [ "$1" != db ] || seconds=60
    end_process "$LOCI_STACK/run" "$1" "$seconds"
}

# An empty database whose only account is the user who runs it, let in by the socket.
service_init_db() {
    rm -rf -- "${LOCI_STACK:?}/db" "$LOCI_STACK/db.new"
    mkdir -m 700 -- "$LOCI_STACK/db.new"
    mariadb-install-db --defaults-file="$stack_safe/conf/mariadb.cnf" --datadir="$stack_safe/db.new" \
        --skip-test-db --skip-name-resolve --force \
        --auth-root-authentication-method=socket "--auth-root-socket-user=$(id -un)" || return 1
    mv -- "$LOCI_STACK/db.new" "$LOCI_STACK/db"
}

# The database and the account of loci.conf; databases called loci_… are the tests'. Every statement may be repeated.
stack_grant() {
    local password
    password=$(cat "$LOCI_STACK/conf/db.password")
    stack_sql "" "CREATE DATABASE IF NOT EXISTS loci CHARACTER SET utf8mb4;
        CREATE USER IF NOT EXISTS loci@localhost IDENTIFIED BY '$password';
        ALTER USER loci@localhost IDENTIFIED BY '$password';
        GRANT ALL ON loci.* TO loci@localhost;
        GRANT ALL ON \`loci\\_%\`.* TO loci@localhost;"
}

# stack_names [NAME…]: the services asked for, or all this stack has.
stack_names() {
    local name
    if [ $# -gt 0 ] && [ "$1" != all ]; then
        printf '%s\n' "$@"
        return
    fi
    for name in "${stack_services[@]}"; do
        [ "$name" = web2 ] && [ "$stack_port2" = 0 ] || printf '%s\n' "$name"
    done
}

stack_start() {
    local name
    for name in $(stack_names "$@"); do service_start "$name" || return 1; done
}

stack_stop() {
    local name
    for name in $(stack_names "$@" | tac); do service_stop "$name"; done
}

# A loci-web is replaced, everything else is stopped first.
stack_restart() {
    local name rest=()
    for name in $(stack_names "$@"); do
        if [ $# -gt 0 ] && [ "$1" != all ] && is_web "$name" && pid_of "$LOCI_STACK/run" "$name" >/dev/null; then
            service_replace "$name" || return 1
        else
            rest+=("$name")
        fi
    done
    [ ${#rest[@]} -eq 0 ] || { stack_stop "${rest[@]}" && stack_start "${rest[@]}"; }
}

stack_kill() {
    local name pid
    for name in $(stack_names "$@"); do
        note_fall "$name"
        pid=$(pid_of "$LOCI_STACK/run" "$name") || continue
        kill -KILL "$pid"
        while pid_of "$LOCI_STACK/run" "$name" >/dev/null; do nap 0.02; done
        rm -f -- "$LOCI_STACK/run/$name.pid" "$LOCI_STACK/run/$name.start"
    done
}

# Prints a line for each service; fails unless all run.
stack_status() {
    local name pid rc=0
    for name in $(stack_names "$@"); do
        if pid=$(pid_of "$LOCI_STACK/run" "$name"); then
            printf '%-10s running, process %s\n' "$name" "$pid"
        else
            printf '%-10s not running\n' "$name"
            rc=1
        fi
    done
    return $rc
}

stack_main() {
    set -eu -o pipefail
    # shellcheck source=scripts/lib.sh
    . "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
    [ -n "${LOCI_STACK:-}" ] || die "LOCI_STACK is not set" "LOCI_STACK=$PWD/var scripts/stack.sh status"
    stack_open "$LOCI_STACK"
    local verb=${1:-}
    [ $# -eq 0 ] || shift
    case $verb in
    start) stack_start "$@" ;;
    stop) stack_stop "$@" ;;
    restart) stack_restart "$@" ;;
    kill) stack_kill "$@" ;;
    status) stack_status "$@" ;;
    pid) pid_of "$LOCI_STACK/run" "${1:?name a service}" && echo ;;
    falls) stack_falls ;;
    *) die "usage: scripts/stack.sh start|stop|restart|kill|status|pid|falls [NAME]…" ;;
    esac
}

[ "${BASH_SOURCE[0]}" != "$0" ] || stack_main "$@"
