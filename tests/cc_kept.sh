#!/bin/sh
# The C compiler for tests that export FMUs, as CC=. What it makes of the sources in the folder that
# it is called in is kept by the content of all that went in. BONDYN_COMPILED=keep: it is compiled
# each time (the release suite); BONDYN_COMPILED=use: taken from there (the sanitizer suite: its
# exports are the same bytes, and sanitizers see nothing of what another compiler makes of them).
# Whatever lies outside of the folder is compiled as ever. BONDYN_PLAIN=yes: without optimisation,
# which takes a quarter of the time, where the same C was tested as users get it.
if [ "${BONDYN_PLAIN:-}" ]; then
    for word; do
        shift
        case $word in -O2) set -- "$@" -O0 ;; -DBONDYN_CLONES) ;; *) set -- "$@" "$word" ;; esac
    done
fi
case " $* " in *" /"* | *" -I/"*) exec cc "$@" ;; esac
[ "${XDG_CACHE_HOME:-}" ] && [ "${BONDYN_COMPILED:-}" ] || exec cc "$@"
made= before=
for word; do
    [ "$before" = -o ] && made=$word
    before=$word
done
[ "$made" ] || exec cc "$@"
key=$({
    printf '%s\n' "$@"
    ls -lL "$(command -v cc)"
    for file in *; do
        case $file in "$made" | words.txt) ;; *) echo "$file" && cat "$file" ;; esac
    done
} | sha256sum | cut -c 1-64)
kept=$XDG_CACHE_HOME/compiled/$key
[ "$BONDYN_COMPILED" = use ] && cp "$kept" "$made" 2>/dev/null && exit 0
cc "$@" || exit
mkdir -p "$XDG_CACHE_HOME/compiled" && cp "$made" "$kept.$$" && mv "$kept.$$" "$kept"
exit 0
