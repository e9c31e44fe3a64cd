#!/bin/sh
# Every example that --help shows is run as it stands there, in the folder tests/cli/help. Left out:
# what waits for a person (studio, watch, lsp), editors, a recorded drive and the tests of the
# library, which are run elsewhere.
. "$(dirname "$0")/common.sh"

cp "$here"/help/*.bond .
cp -r "$source_folder/library" .
cp "$source_folder/examples/urdf_arm/arm.urdf" robot.urdf
cp robot.urdf vehicle.urdf
cp "$source_folder/tests/import/hydro/ship.re7" supply.re7
cp "$source_folder/tests/import/hydro/ship.re8" supply.re8
for kind in 1 3 hst; do cp "$source_folder/tests/import/hydro/box.$kind" "barge.$kind"; done
for load in idle:438 loaded:307; do
    awk -v w="${load#*:}" 'BEGIN {
        print "time,speed"
        for (i = 0; i <= 40; i++) printf "%g,%.10g\n", i/20, w*(1 - exp(-i/20/0.438)) + 0.5*sin(17*i)
    }' >"${load%:*}.csv"
done
"$bondyn" run "$source_folder/examples/rlc/rlc.bond" Step --quiet >/dev/null || fail "rlc"
cp results/rlc/Step/results.csv rlc.csv
"$bondyn" run car.bond --csv --h5 --out car --quiet >/dev/null || fail "car"
sed 's/^time.*body.f/time [s],speed/' car/results.csv >a.csv
cp car/results.h5 b.h5

# The word bondyn of an example is this program.
mkdir bin
ln -s "$bondyn" bin/bondyn
PATH=$PWD/bin:$PATH
verbs=$(bondyn --help | sed -n '/^verbs/,/^$/s/^  \([a-z]*\) .*/\1/p')
count=0
for verb in $verbs; do
    case $verb in studio | watch | lsp) continue ;; esac
    bondyn "$verb" --help | sed -n '/^examples/,/^$/s/^  //p' >examples.txt
    [ -s examples.txt ] || fail "'$verb --help' shows no example"
    while read -r line; do
        case $line in *--replay* | "bondyn lib test") continue ;; *"| dot"*) command -v dot >/dev/null || continue ;; esac
        count=$((count + 1))
        [ "$verb" != new ] || rm -f crane.bond drive.bond
        sh -c "$line" >out 2>err </dev/null || { fail "$line"; cat out err; }
        ! grep -q 'error [A-Z][0-9]' err || { fail "$line: says of an error"; cat err; }
    done <examples.txt
done
[ $count -gt 60 ] || fail "only $count examples were found"
echo "$count examples of --help"
