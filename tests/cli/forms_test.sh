#!/bin/sh
# Published motions hold in other variables too: the mechanisms of examples get `form lagrange`, or
# `coordinates euler` where no attitude comes to where angles fail, and all their experiments must
# hold as they are.
. "$(dirname "$0")/common.sh"

# with STATEMENT FILE...: the examples below, where every mechanism has the statement
with() {
    statement=$1
    shift
    rm -rf examples
    cp -r "$source_folder/examples" examples
    chmod -R u+w examples
    find examples -name '*.bond' | while read -r file; do
        sed -e "/^mechanism [A-Za-z]/{/ from /b" -e '/ extends /b' -e "s/\$/\n  $statement/" -e '}' "$file" >changed
        cp changed "$file"
    done
    for file; do
        grep -q "^  $statement" "examples/$file" || fail "no mechanism in $file"
        expect_exit 0 run "examples/$file" --all --no-plot --out results
    done
}

with "form lagrange" vehicle_manipulators/auv_arm.bond vehicle_manipulators/ship_crane.bond \
    vehicle_manipulators/spacecraft_arm.bond vehicle_manipulators/ball_joint_robot.bond \
    vehicle_manipulators/planar_vehicle.bond vehicle_manipulators/tied_velocities.bond \
    vehicle_chain/vehicle_chain.bond wagon_pendulum/wagon_pendulum.bond four_bar/four_bar.bond \
    cylinder_boom/cylinder_boom.bond slider_crank/slider_crank.bond rolling_disc/rolling_disc.bond \
    chaplygin_sleigh/chaplygin_sleigh.bond joint_limits/joint_limits.bond joint_limits/driven_by_joints.bond \
    rigid_stops/rigid_stops.bond \
    frame_axes/frame_axes.bond
with "coordinates euler" vehicle_manipulators/ship_crane.bond vehicle_chain/vehicle_chain.bond \
    rolling_disc/rolling_disc.bond frame_axes/frame_axes.bond
exit $failed
