# shellcheck shell=bash disable=SC2154
# Sourced by up and check: makes sure that the Debian packages of scripts/packages are there.

# package_there PACKAGE ALSO: installed, or its command or pkg-config module came from elsewhere.
package_there() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" != installed ] || return 0
    case $2 in
    cmd:*) command -v "${2#cmd:}" >/dev/null 2>&1 ;;
    pc:*) pkg-config --exists "${2#pc:}" 2>/dev/null ;;
    *) return 1 ;;
    esac
}

# missing_packages up|check|bench|install: names what is missing in the array missing, and why in reasons.
missing_packages() {
    local package by also why
    missing=() reasons=()
    while IFS='|' read -r package by also why; do
        package=${package// /} by=${by// /} also=${also// /}
        case $package in '' | '#'*) continue ;; esac
        [ "$by" = up ] || [ "$by" = "$1" ] || continue
        package_there "$package" "$also" && continue
        missing+=("$package")
        reasons+=("$(printf '  %-22s%s' "$package" "${why# }")")
    done <"$source_dir/scripts/packages"
}

# need_packages up|check|bench: installs what is missing, after saying what and why.
need_packages() {
    local missing reasons
    command -v dpkg-query >/dev/null 2>&1 || die "this is not a Debian system: dpkg-query is missing" \
        "install the counterparts of scripts/packages yourself, then autoreconf -i && ./configure && make"
    missing_packages "$1"
    [ ${#missing[@]} -gt 0 ] || return 0

    say "These Debian packages are missing and will be installed; no service of the system is started:"
    printf '%s\n' "${reasons[@]}"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null 2>&1 || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
            die "installing packages needs root, and sudo is not available here" \
                "run as root: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
        fi
        as_root=(sudo)
        sudo true || die "sudo was refused" "run as root: apt-get install --no-install-recommends ${missing[*]}"
    fi
    step "installing ${#missing[@]} packages" "$work_dir/log/packages.log" \
        "${as_root[@]}" bash "$source_dir/scripts/install-packages" "${missing[@]}"
}
