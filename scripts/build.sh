# shellcheck shell=bash disable=SC2154,SC2164
# Sourced by up and check: npm packages, autoreconf and the builds, each done only when something changed.

# Everything that makes configure and Makefile.in.
build_inputs() {
    find "$source_dir/configure.ac" "$source_dir/Makefile.am" "$source_dir/m4" "$source_dir/src" "$source_dir/tests" \
        \( -name '*.ac' -o -name '*.am' -o -name '*.mk' -o -name '*.m4' \) "$@"
}

# The generated build files live beside the sources and are shared by every build directory.
regenerate() {
    take_lock "$source_dir/var/autoreconf.lock"
    if [ ! -e "$source_dir/configure" ] || [ ! -e "$source_dir/Makefile.in" ] ||
        [ -n "$(build_inputs -newer "$source_dir/Makefile.in" -print -quit)" ]; then
        (cd -- "$source_dir" && autoreconf -i)
        touch -- "$source_dir/aclocal.m4"
        touch -- "$source_dir/configure" "$source_dir/Makefile.in"
    fi
    let_lock
}

# configured_as CONFIGURE-ARGUMENT…: what configure is asked for, and the libraries that it finds. Some are there only since
# ./check was run first, and without them there are no unit tests.
configured_as() {
    local module
    printf '%s\n' "$*"
    for module in $(sed -n 's/.*| pc:\([^ ]*\).*/\1/p' "$source_dir/scripts/packages"); do
        printf '%s %s\n' "$module" "$(pkg-config --modversion "$module" 2>/dev/null)"
    done
}

# configure_and_make DIR TARGETS CONFIGURE-ARGUMENT…: DIR is below the checkout, and the path from it to configure
# is relative, so that spaces do not matter. Characters that configure refuses are avoided by way of a link.
configure_and_make() {
    local dir=$1 up inside=${1#"$source_dir"/} targets as
    IFS=' ' read -r -a targets <<<"$2"
    shift 2
    regenerate
    mkdir -p -- "$dir"
    take_lock "$dir.lock"
    [[ $source_dir =~ ^[A-Za-z0-9_./+\ -]+$ ]] || dir=$(safe_path "$source_dir" 0)/$inside
    up=$(printf '%s' "$inside" | sed 's|[^/][^/]*|..|g')
    cd -- "$dir"
    as=$(configured_as "$@")
    if [ ! -e Makefile ] || [ "$(cat configured-as 2>/dev/null)" != "$as" ]; then
        "$up/configure" -q "$@"
        printf '%s\n' "$as" >configured-as
    fi
    make -s -j"$(nproc)" "${targets[@]}"
    let_lock
}

# fetch_npm: node_modules is shared by up and check and fits package-lock.json, or is fetched again; the pages' libraries are
# copied from there.
fetch_npm() {
    fetch_npm_in "$source_dir"
    "$source_dir/scripts/front-end" "$source_dir/node_modules" "$source_dir/static/vendor"
}

# fetch_judges: likewise for the programs of tests/judges. None of their install scripts is run.
fetch_judges() { fetch_npm_in "$source_dir/tests/judges" --ignore-scripts; }

# fetch_npm_in DIR NPM-OPTION…
fetch_npm_in() {
    cd -- "$1"
    shift
    take_lock "$source_dir/var/npm.lock"
    if ! cmp -s package-lock.json node_modules/.loci-lock; then
        node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' ||
            { echo "Node.js 18 or newer is needed; $(command -v node) is $(node --version)"; return 1; }
        npm ci --no-audit --no-fund --loglevel=error --fetch-retries=5 "$@" ||
            { echo "npm ci failed: is the package registry reachable (npm ping), or a proxy to be set?"; return 1; }
        cp package-lock.json node_modules/.loci-lock
    fi
    let_lock
}
