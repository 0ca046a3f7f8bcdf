# shellcheck shell=bash disable=SC2154,SC2034
# Sourced by check: the suite that follows the recipe "Add a thing" of docs/start-here.md in a copy of the checkout.

recipe_c_lines=200                       # the most lines of C that a plain thing may need
recipe_tests='^(test_things\.c|(contacts|isolation)\.test\.mjs)$'

suite_recipe() {
    suite_now=recipe
    recipe_tree=$check_dir/recipe
    make_for_tests "$plain_build" --prefix=/usr/local
    [ "$attempt_ok" = yes ] || return 0
    attempt "a copy of the checkout" recipe_copy
    [ "$attempt_ok" = no ] || attempt "docs/recipe/apply" "$recipe_tree/docs/recipe/apply" "$recipe_tree"
    count_attempt
    [ "$attempt_ok" = yes ] || return 0
    recipe_count_c
    recipe_check
}

# With its build, so that only what the recipe touches is built again: files keep their times.
recipe_copy() {
    mkdir -p -- "$recipe_tree/var"
    tar -C "$source_dir" --format=posix --exclude=./var --exclude=./.git --exclude=./autom4te.cache --exclude=node_modules -cf - . |
        tar -C "$recipe_tree" -xf -
    ln -s -- "$source_dir/node_modules" "$recipe_tree/node_modules"
    cp -a -- "$plain_build" "$recipe_tree/var/build"
}

recipe_count_c() {
    local n
    n=$({ diff -rN -U0 --exclude='*.mk' "$source_dir/src" "$recipe_tree/src" || true; } | grep -c '^+\([^+]\|$\)') || true
    say "    lines of C: $n (limit $recipe_c_lines)"
    if [ "$n" -gt 0 ] && [ "$n" -le "$recipe_c_lines" ]; then good; else bad; fi
    if grep -q " $n lines of C" "$source_dir/docs/start-here.md"; then good; else say "    docs/start-here.md says another number"; bad; fi
}

# The copy's own ./check: its rules, the columns against the schema, and the example's tests on a stack of its own.
recipe_check() {
    local log=$check_dir/log/recipe.log code=0
    LOCI_ONLY=$recipe_tests LOCI_LANES=1 "$recipe_tree/check" layers unit api >"$log" 2>&1 </dev/null &
    lane_pids=("$!")                     # ends with this run
    wait "$!" || code=$?
    lane_pids=()
    if [[ $(tail -n 1 -- "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        good "${BASH_REMATCH[1]}"
        bad "${BASH_REMATCH[2]}"
    fi
    [ $code -eq 0 ] || [ "$suite_failed" -gt 0 ] || bad
    if [ $code -eq 0 ]; then
        { grep -E '^(building|layers|unit|api)\b' "$log" || true; } | sed 's/^/    /'
    else
        sed 's/^/    /' "$log"
    fi
}
