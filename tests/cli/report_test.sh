#!/bin/sh
# report: one page that holds everything, also when a run fails.
. "$(dirname "$0")/common.sh"

motor=$source_folder/examples/dc_motor/dc_motor.bond
wagon=$source_folder/examples/wagon_pendulum/wagon_pendulum.bond

expect_exit 0 report "$motor" --out motor.html
expect_text out "written motor.html"
for part in plots graph states equations parameters power energy expectations text; do
    expect_text motor.html "<h2 id=\"$part\">"
done
expect_text motor.html '<math display="block">'
expect_text motor.html 'armature inductance'
expect_text motor.html 'expectations hold'
expect_text motor.html 'class="flow"'
expect_text motor.html 'data-view="whole"'
sed -n 's/.*class="curves">\(.*\)<\/script><\/figure>.*/\1/p' motor.html | head -1 >curves.json
"$json_check" curves.json || fail "the curves are not JSON"
expect_text motor.html '<title>u -&gt; armature: 36.58 J, 38.8 %, through current</title>'
sed -n '/id="powers">/,/<\/script>/p' motor.html | sed 's/.*id="powers">//; s/<\/script>.*//' >powers.json
"$json_check" powers.json || fail "the powers are not JSON"
[ "$(wc -c <powers.json)" -lt 60000 ] || fail "the powers of 11 bonds have $(wc -c <powers.json) bytes"
grep -q 'id="view"' motor.html && fail "a view without bodies"
grep -Eq '(src|href)="https?:' motor.html && fail "the page asks the network"

# What a search, a fit and sensitivities find is on the page, whose run has the parameters that were found.
search=$source_folder/examples/search/search.bond
expect_exit 0 report "$search" Limited --out limited.html
expect_text limited.html '<h2 id="found">Best parameters</h2>'
expect_text limited.html 'holds, limits'
expect_text limited.html '<b class="good">1 of 1</b>'
[ -e limited.html.search ] && fail "a finished search leaves its file"
expect_exit 0 report "$search" Fitted --out fitted.html
expect_text fitted.html '<h2 id="found">Fit</h2>'
expect_text fitted.html '<b class="good">2 of 2</b>'
expect_text fitted.html '<img alt="data and model"'
expect_exit 0 report "$search" Depends --out depends.html
expect_text depends.html '<h2 id="sensitivities">'
[ "$(grep -c '<img alt="by 1 % more of each parameter' depends.html)" = 4 ] || fail "no pictures of sensitivities"

expect_exit 0 report "$wagon"
[ -s wagon_pendulum.html ] || fail "no page beside the caller"
python3 "$source_folder/tools/moving.py" wagon_pendulum.html moving.svg 10 || fail "no moving picture of a page"
[ "$(grep -c '<animate' moving.svg)" -gt 0 ] || fail "nothing moves in moving.svg"
expect_text wagon_pendulum.html 'id="scene"'
expect_text wagon_pendulum.html '"bodies":['
sed -n 's/.*id="scene">\(.*\)<\/script>.*/\1/p' wagon_pendulum.html >scene.json
[ -s scene.json ] || sed -n '/id="scene">/,/<\/script>/p' wagon_pendulum.html |
    sed 's/.*id="scene">//; s/<\/script>.*//' >scene.json
"$json_check" scene.json || fail "the scene is not JSON"

# The page without its data (motion, curves, pictures) stays small, with everything inside.
size=$(sed '/<script type="application.json"/d; /<svg/,/<\/svg>/d; s/src="data:[^"]*"//g' wagon_pendulum.html | wc -c)
echo "a page with its viewer: $((size / 1024)) kB without data"
[ "$size" -lt 2000000 ] || fail "the page has $size bytes without its data"
grep -q 'asset_motion\|<script src' wagon_pendulum.html && fail "the page asks for a script"

# meshes: each file once, with its colours; those that cannot be shown are named
expect_exit 0 report "$source_folder/examples/urdf_arm/urdf_arm.bond" --out arm.html
grep M060 err && fail "a mesh is not shown"
sed -n '/id="scene">/,/<\/script>/p' arm.html | sed 's/.*id="scene">//; s/<\/script>.*//' >scene.json
"$json_check" scene.json || fail "the scene with meshes is not JSON"
expect_text scene.json '"count":[14,24],"before":24'
expect_text scene.json '"colours":[[0.25,0.45,0.7],[0.95,0.95,0.95]]'
expect_text scene.json '"colours":[[0.3,0.7,0.35]]'
expect_text scene.json '"file":"package://tilted_arm/upper.stl","mesh":0,"colour":[0.9,0.45,0.1]'

cat >hostile.bond <<END
model A "</script><script>alert(1)</script> & <b>"
  param k = 2 "a 'quoted' <i>"
  var x initial 1
  der(x) = -k*x
end
experiment E of A "<!-- "
  stop 1 {s}
  expect x(1 {s}) = 5 within 1e-3
end
END
expect_exit 4 report hostile.bond
expect_text hostile.html "FAILS"
grep -q '<script>alert' hostile.html && fail "text of the model became markup"

cat >sweep.bond <<END
model Lag
  param T = 1 {s}
  input u {1} = 0
  var y {1} initial 0
  der(y) = (u - y)/T
end
experiment Bode of Lag
  frequency u amplitude 1 at (1, 10) {Hz} of y
end
END
expect_exit 0 report sweep.bond
expect_text sweep.html "answer to u"
expect_text sweep.html "experiment.frequency"
grep -q 'id="power' sweep.html && fail "powers over time of a frequency response"

# Analyses have pages, too: what they found, in words and as a picture; modes with their list.
expect_exit 0 report "$source_folder/examples/analysis/analysis.bond" Modes --out modes.html
expect_text modes.html '<h2 id="modes">'
expect_text modes.html '<td class="n">0.795775</td><td class="n">0.05</td><td class="n">4</td>'
expect_text modes.html 'unstable poles'
grep -q 'id="plots"\|id="parameters"\|id="energy"\|simulated' modes.html && fail "a run on the page of an analysis"
for of in Rest Lin Resp Jump Kick; do
    expect_exit 0 report "$source_folder/examples/analysis/analysis.bond" "$of" --out "$of.html"
    expect_text "$of.html" '<h2 id="analysis">'
    expect_text "$of.html" 'expectations hold'
done

# States that are chosen during the run are no variables of the model.
expect_exit 0 report "$source_folder/examples/cartesian_double_pendulum/cartesian_double_pendulum.bond" --out chosen.html
expect_text chosen.html "<code>points.x1 or points.y1</code>"
expect_exit 0 signals "$source_folder/examples/cartesian_double_pendulum/cartesian_double_pendulum.bond"

expect_exit 1 report missing.bond
expect_exit 1 report "$motor" --out no/such/folder/x.html
expect_exit 2 report
exit $failed
