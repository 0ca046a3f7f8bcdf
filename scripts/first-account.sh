# shellcheck shell=bash disable=SC2154
# Sourced by up and check: what a new stack needs before anybody can use it. Everything here may be repeated.

first_email=admin@dev.example
# shellcheck disable=SC2034 # up prints it
first_write_body='{"kind":"note","title":"The harbour","body":"The harbour master closes the gate at ten."}'

ctl() { "$stack_bin/locictl" --config "$stack_safe/conf/loci.conf" "$@"; }

# ctl_make …: creates something; that it exists already (exit 3) is as good.
ctl_make() {
    local rc=0
    ctl "$@" || rc=$?
    [ $rc -eq 0 ] || [ $rc -eq 3 ]
}

first_schema() {
    stack_grant
    ctl migrate
}

first_account() {
    ctl_make account create --slug dev --name Development
    ctl_make user create --account dev --email "$first_email" --name Admin --role owner --operator \
        --password-file "$stack_safe/conf/admin.password"
    ctl_make agent create --account dev --slug assistant --name Assistant
    # Whoever tries Loci wants to see in the pages what the agent of the printed lines remembers.
    ctl_make grant add --account dev --space agent:assistant --user "$first_email" --level manage
}

# api METHOD PATH [CURL-ARGUMENT…]: a request with the token; prints the status, the body goes to the log.
api() {
    local method=$1 path=$2
    shift 2
    curl -s -S --max-time 30 -o /dev/stderr -w '%{http_code}' -X "$method" \
        -H @<(printf 'Authorization: Bearer %s\n' "$(cat "$LOCI_STACK/conf/token" 2>/dev/null)") "$@" \
        "http://127.0.0.1:$stack_port$path"
}

# A token is shown once, so it is kept; a new one is made when the kept one is missing or no longer works.
first_token() {
    local file=$LOCI_STACK/conf/token name
    [ ! -s "$file" ] || [ "$(api GET '/api/v1/nodes?limit=1')" = 401 ] || return 0
    for name in dev "dev-$(date -u +%Y%m%d-%H%M%S)"; do
        ctl token create --account dev --agent assistant --name "$name" >"$file" && return 0
        [ $? -eq 3 ] || return 1
    done
    return 1
}

# A few nodes to look at, once.
first_sample() {
    local line status
    [ ! -e "$LOCI_STACK/conf/sample-loaded" ] || return 0
    while IFS= read -r line; do
        status=$(api POST /api/v1/nodes -H 'Content-Type: application/json' \
            -H "Idempotency-Key: sample-$(printf '%s' "$line" | sha256sum | cut -c 1-16)" --data-binary "$line")
        [ "$status" = 201 ] || [ "$status" = 200 ] || { echo "POST /api/v1/nodes answered $status"; return 1; }
    done <"$stack_source/scripts/sample.jsonl"
    : >"$LOCI_STACK/conf/sample-loaded"
}

wait_ready() {
    local tries=300 status
    until status=$(api GET /readyz 2>"$LOCI_STACK/log/readyz.log") && [ "$status" = 200 ]; do
        tries=$((tries - 1))
        if [ $tries -eq 0 ] || ! stack_status >/dev/null; then
            echo "/readyz answers $status:"
            cat "$LOCI_STACK/log/readyz.log"
            tail -n 20 -- "$LOCI_STACK/log/web.log"
            return 1
        fi
        nap 0.1
    done
}

# What other programs and the tests read.
write_dev_env() {
    (
        umask 077
        write_if_changed "$LOCI_STACK/dev.env" <<END
LOCI_URL=http://127.0.0.1:$stack_port
LOCI_TOKEN=$(cat "$LOCI_STACK/conf/token")
LOCI_ADMIN_EMAIL=$first_email
LOCI_ADMIN_PASSWORD=$(cat "$LOCI_STACK/conf/admin.password")
END
    )
}
