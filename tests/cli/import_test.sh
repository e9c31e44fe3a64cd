#!/bin/sh
# import urdf: what is written can be read again; broken files are reported with their place.
. "$(dirname "$0")/common.sh"

arm=$source_folder/examples/urdf_arm/arm.urdf

expect_exit 0 import urdf "$arm" --round
expect_text err "warning X014: the mechanism has nothing of 1 <gazebo>, 1 <transmission>"
expect_text out "mechanism tilted_arm"
expect_text out "joint root fixed: world -> base_link"
expect_text out "joint shoulder revolute z: base_link -> upper_arm at (0.1, 0, 0.4) {m} rotated y 0.2 {rad}"
expect_text out "joint slide prismatic -z: forearm -> rod"
expect_text out "limits -2 {rad} .. 2 {rad}"
expect_text out 'param damping = true'
expect_text out 'R shoulder_damping(0.1 {N.m.s/rad}) at shoulder'
expect_text out 'assert abs(elbow.e) <= 30 {N.m}, warning'
expect_text out 'assert abs(elbow.f) <= 5 {rad/s}, warning'
expect_text out "frame tool on rod at (0, 0, 0.1) {m} rotated y 180 {deg}"
expect_text out 'shape on upper_arm mesh "package://tilted_arm/upper.stl" scale (0.001, 0.001, 0.001) at (0, 0, 0.01) {m} rotated x 90 {deg} colour (0.9, 0.45, 0.1)'
expect_text out 'shape on rod cylinder (0.012, 0.2) {m} colour (0.5, 0.5, 0.5)'
expect_text out 'shape on rod mesh "package://tilted_arm/tool.dae" at (0, 0, 0.1) {m} rotated y 180 {deg}' # a frame's
expect_exit 0 import urdf "$arm" --free --out arm.bond
expect_text arm.bond "joint root free: world -> base_link"
expect_exit 0 derive arm.bond --only beta
expect_exit 0 import urdf "$arm" --json
"$json_check" out || fail "not JSON"
expect_exit 2 import sdf "$arm"
expect_exit 1 import urdf missing.urdf

# robot CODE PLACE TEXT: the robot made of these elements is refused, or warned of, at line:column
robot() {
    printf '<robot name="r">\n%s\n</robot>\n' "$3" >robot.urdf
    "$bondyn" import urdf robot.urdf >out 2>err </dev/null
    got=$?
    [ $got -le 1 ] || fail "$1: exit $got"
    expect_text err "robot.urdf:$2:"
    expect_text err "$1"
}
heavy='<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
ends='<parent link="a"/><child link="b"/>'
robot X001 3:3 '<link name="a">'
robot X003 2:1 '<link/>'
robot X004 2:26 '<link name="a"><inertial><mass value="-1"/></inertial></link>'
robot X004 2:26 '<link name="a"><inertial><mass value="heavy"/></inertial></link>'
robot X004 3:30 "<link name=\"a\"/><link name=\"b\"/>
<joint name=\"j\" type=\"fixed\"><origin xyz=\"0 1\"/>$ends</joint>"
robot X005 3:1 "<link name=\"a\"/><link name=\"b\"/>
<joint name=\"j\" type=\"hinge\">$ends</joint>"
robot X006 2:46 "<link name=\"a\"/><joint name=\"j\" type=\"fixed\"><parent link=\"c\"/><child link=\"a\"/></joint>"
robot X007 3:1 '<link name="a"/>
<link name="a"/>'
robot X008 3:1 '<link name="a"/>
<link name="b"/>'
robot X008 2:1 "<link name=\"a\"/><link name=\"b\"/>
<joint name=\"j\" type=\"fixed\">$ends</joint>
<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint>"
robot X008 4:48 "<link name=\"a\"/><link name=\"b\"/>
<joint name=\"j\" type=\"fixed\">$ends</joint>
<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>"
robot X009 3:33 "<link name=\"a\"/><link name=\"b\">$heavy</link>
<joint name=\"j\" type=\"revolute\"><axis xyz=\"0 0 0\"/>$ends</joint>"
robot X010 3:33 "<link name=\"a\"/><link name=\"b\">$heavy</link>
<joint name=\"j\" type=\"revolute\"><limit lower=\"1\" upper=\"-1\"/>$ends</joint>"
expect_text out "joint j revolute x"
robot X011 3:33 "<link name=\"a\"/><link name=\"b\">$heavy</link>
<joint name=\"j\" type=\"revolute\"><mimic joint=\"i\"/>$ends</joint>"
expect_text out "// mimic i multiplier 1"
robot X011 3:33 "<link name=\"a\"/><link name=\"b\">$heavy</link>
<joint name=\"j\" type=\"revolute\"><mimic joint=\"j\"/>$ends</joint>"
expect_text err "a joint cannot follow itself"
robot X011 4:33 "<link name=\"a\"/><link name=\"b\">$heavy</link><link name=\"c\">$heavy</link>
<joint name=\"j\" type=\"revolute\"><mimic joint=\"k\"/>$ends</joint>
<joint name=\"k\" type=\"revolute\"><mimic joint=\"j\"/><parent link=\"a\"/><child link=\"c\"/></joint>"
expect_text err "that joint follows this one already"
expect_text out "joint j revolute x: a -> b driven by 1*k.q"
robot X011 4:33 "<link name=\"a\"/><link name=\"b\"/><link name=\"c\">$heavy</link>
<joint name=\"j\" type=\"revolute\">$ends</joint>
<joint name=\"k\" type=\"revolute\"><mimic joint=\"j\"/><parent link=\"a\"/><child link=\"c\"/></joint>"
expect_text err "moves nothing that has mass, and is taken as fixed"
robot X008 3:1 "<link name=\"a\"/>
<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"a\"/></joint>"
expect_text err "joint 'j' leads from link 'a' to itself"
robot X008 3:48 "<link name=\"a\"/><link name=\"b\"/>
<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><parent link=\"b\"/><child link=\"b\"/></joint>"
expect_text err "joint 'j' has two <parent>: 'a' and 'b'"
robot X004 2:26 '<link name="a"><inertial><mass value="${m}"/></inertial></link>'
expect_text err "xacro robot.urdf.xacro > robot.urdf"
printf '<robot name="r"><link name="a"/><link name="b">%s</link><joint name="j" type="revolute">%s
<limit lower="-inf" upper="INF" effort="inf" velocity="3"/></joint></robot>' "$heavy" "$ends" >robot.urdf
expect_exit 0 import urdf robot.urdf
expect_empty err
expect_text out "assert abs(j.f) <= 3 {rad/s}, warning"
cat >gripper.urdf <<'END'
<robot name="gripper"><link name="palm"/>
<link name="left"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="right"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="finger1" type="revolute"><parent link="palm"/><child link="left"/><limit lower="-0.5" upper="1"/></joint>
<joint name="finger2" type="prismatic"><parent link="palm"/><child link="right"/>
<mimic joint="finger1" multiplier="-0.5" offset="0.25"/></joint></robot>
END
expect_exit 0 import urdf gripper.urdf
expect_text out "joint finger1 revolute x: palm -> left limits -0.5 {rad} .. 1 {rad}"
expect_text out "driven by -0.5 {m/rad}*finger1.q + 0.25 {m}"
mv out gripper.bond
expect_exit 0 check gripper.bond
robot X012 3:1 "<link name=\"a\">$heavy</link><link name=\"b\"/>
<joint name=\"j\" type=\"revolute\">$ends</joint>"
expect_text out "frame b on a"

# shape TEXT [WORDS]: a visual with this geometry becomes that statement
shape() {
    printf '<robot name="r"><material name="m"><color rgba="0.1 0.2 0.3 1"/></material><link name="a">%s
<visual>%s</visual></link></robot>\n' "$heavy" "$2" >robot.urdf
    expect_exit 0 import urdf robot.urdf --free --out robot.bond
    expect_text robot.bond "$1"
    cp err said
    expect_exit 0 check robot.bond
}
: >there.stl
shape 'mesh "there.stl" scale (1, -1, 0.5)' '<geometry><mesh filename="there.stl" scale="1 -1 .5"/></geometry>'
expect_empty said
expect_text err "robot.bond:6:19: warning M060: the mesh 'there.stl' cannot be shown: it has 0 bytes"
shape 'sphere 1 {m} colour (0.1, 0.2, 0.3)' '<material name="m"/><geometry><sphere radius="1"/></geometry>'
shape 'sphere 1 {m} colour (1, 0, 0.5)' '<geometry><sphere radius="1"/></geometry><material><color rgba="7 -1 .5 1"/></material>'
shape 'sphere 1 {m}' '<geometry><sphere radius="1"/></geometry><material name="x"><color rgba="red"/></material>'
expect_text said "robot.urdf:2:69: warning X004: rgba of <color> is 'red'"
shape '// visual mesh "there.stl" scale 0 1 1' '<geometry><mesh filename="there.stl" scale="0 1 1"/></geometry>'
expect_text said "robot.urdf:2:19: warning X004: scale of <mesh> is '0 1 1'"
shape 'mesh "gone.stl"' '<geometry><mesh filename="gone.stl"/></geometry></visual><visual><geometry><mesh filename="package://p/q.dae"/></geometry>'
expect_text said "robot.urdf:2:19: warning X013: there is no mesh 'gone.stl'"
expect_text said "2 of 2 meshes are not there"
expect_text err "robot.bond:6:19: warning M060: there is no mesh 'gone.stl'"
expect_text err "put the folder 'p' beside this file or above it"
# the shape of a frame whose turns add up: x -> z, y -> -x, z -> -y
printf '<robot name="r"><link name="a">%s</link><link name="b"><visual><origin xyz="1 0 0" rpy="0 0 1.570796"/>
<geometry><box size="1 2 3"/></geometry></visual></link><joint name="j" type="fixed"><parent link="a"/><child link="b"/>
<origin xyz="0 0 1" rpy="1.570796 0 0"/></joint></robot>\n' "$heavy" >robot.urdf
expect_exit 0 import urdf robot.urdf --free --round
expect_text out "shape on a box (1, 2, 3) {m} at (1, 0, 1) {m} rotated y -90 {deg}, x 90 {deg}"
# angles are what the file says; only what is the nearest number to a multiple of 15 degrees is
# written so
printf '<robot name="r"><link name="a">%s</link><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/>
<origin rpy="1.5708 1.5707963267948966 0.785398"/></joint></robot>\n' "$heavy" >robot.urdf
expect_exit 0 import urdf robot.urdf
expect_text out "rotated z 0.785398 {rad}, y 90 {deg}, x 1.5708 {rad}"
expect_exit 0 import urdf robot.urdf --round
expect_text out "rotated z 45 {deg}, y 90 {deg}, x 90 {deg}"

# nothing is left out without a word
robot X014 3:1 "<link name=\"a\">$heavy</link>
<gazebo/><transmission name=\"t\"><type/></transmission><gazebo/><sensor name=\"s\"/>"
expect_text err "the mechanism has nothing of 2 <gazebo>, 1 <transmission>, 1 <sensor>"
robot X014 3:68 "<link name=\"a\"/><link name=\"b\">$heavy</link>
<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><safety_controller k_velocity=\"1\"/><calibration rising=\"0\"/></joint>"
expect_text err "1 <safety_controller>, 1 <calibration>"
robot X014 3:1 "<link name=\"a\">$heavy</link><link name=\"b\">$heavy</link>
<joint name=\"j\" type=\"planar\"><dynamics damping=\"1\" friction=\"2\"/><limit effort=\"3\" velocity=\"4\"/>$ends</joint>"
expect_text err "joint 'j' loses its damping, friction, greatest effort, greatest velocity"
robot X004 3:33 "<link name=\"a\"/><link name=\"b\">$heavy</link>
<joint name=\"j\" type=\"revolute\"><dynamics damping=\"-1\"/>$ends</joint>"
expect_text err "the damping of joint 'j' is negative"
robot X010 3:33 "<link name=\"a\"/><link name=\"b\">$heavy</link>
<joint name=\"j\" type=\"revolute\"><limit lower=\"-1\"/>$ends</joint>"
expect_text err "joint 'j' has no upper limit: it counts as 0"
expect_text out "limits -1 {rad} .. 0 {rad}"
# names that the losses want are taken; a robot without a library has its damping, and friction says
# what it misses
cat >losses.urdf <<END
<robot name="r"><link name="a"/><link name="b">$heavy</link><link name="c">$heavy</link>
<joint name="damping" type="continuous">$ends<dynamics damping="1" friction="2"/><limit effort="5"/></joint>
<joint name="damping_damping" type="continuous"><parent link="b"/><child link="c"/><dynamics damping="3"/></joint></robot>
END
expect_exit 0 import urdf losses.urdf --out losses.bond
expect_text losses.bond "import rotation"
expect_exit 0 run losses.bond
expect_exit 0 run losses.bond --set "friction = false" --set "effort_limits = false"
printf '<sdf/>' >other.urdf
expect_exit 1 import urdf other.urdf
expect_text err "other.urdf:1:1: error X002"
printf '<robot name="r"/>' >other.urdf
expect_exit 1 import urdf other.urdf
expect_text err "other.urdf:1:1: error X002: the robot 'r' has no links"

# All kinds of joints, words of the language as names, and names that differ only in their signs.
cat >all.urdf <<END
<robot name="9 lives"><link name="world"/>
<link name="model">$heavy</link><link name="in">$heavy</link><link name="a-b">$heavy</link><link name="a b">$heavy</link>
<joint name="end" type="floating"><parent link="world"/><child link="model"/></joint>
<joint name="/energy" type="planar"><parent link="model"/><child link="in"/><axis xyz="0 0 1"/></joint>
<joint name="x-y" type="continuous"><parent link="in"/><child link="a-b"/><axis xyz="0 1 0"/></joint>
<joint name="x y" type="prismatic"><parent link="in"/><child link="a b"/><axis xyz="1 1 0"/></joint>
</robot>
END
expect_exit 0 import urdf all.urdf --out all.bond
expect_text all.bond "mechanism n9_lives"
expect_exit 0 derive all.bond --only beta
expect_text out "x_y_2.f"

# in the language
cat >use.bond <<'END'
mechanism Robot from "all.urdf" "four bodies"
model M
  Robot robot
end
END
expect_exit 0 check use.bond
sed 's/all.urdf/none.urdf/' use.bond >bad.bond
expect_exit 1 check bad.bond
expect_text err "bad.bond:1:22: error T001"
sed 's/all.urdf/other.urdf/' use.bond >bad.bond
expect_exit 1 check bad.bond
expect_text err "X002"
echo 'mechanism Robot from' >bad.bond
expect_exit 1 check bad.bond
expect_text err 'write mechanism Robot from "robot.urdf"'

# as it is
expect_exit 0 run all.urdf --no-plot --out robot_run
expect_text out "the robot of all.urdf, left to itself"
expect_text out "balanced"
expect_exit 0 check all.urdf
mkdir -p far && cp all.urdf far/
expect_exit 0 run far/all.urdf --stop 0.1 --no-plot --out robot_run
expect_exit 1 run none.urdf
expect_text err "none.urdf"
expect_exit 1 run other.urdf
expect_text err "X002"
exit $failed

# names that are words of the language get another form: a robot whose links and joints are all its keywords is built
{
    echo '<robot name="model"><link name="base"/>'
    sed -n 's/^ *WORD([A-Z]*, "\(.*\)").*/\1/p' "$source_folder/src/base/keywords.h" | while read -r word; do
        echo "<link name=\"$word\">$heavy</link><joint name=\"$word\" type=\"continuous\"><axis xyz=\"0 1 0\"/>"
        echo "<parent link=\"base\"/><child link=\"$word\"/></joint>"
    done
    echo '</robot>'
} >robot.urdf
expect_exit 0 import urdf robot.urdf --out robot.bond
expect_text robot.bond "body when_ "
expect_text robot.bond "joint lagrangian_ "
expect_exit 0 check robot.bond
