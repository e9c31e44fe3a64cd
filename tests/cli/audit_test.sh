#!/bin/sh
# Energy is kept by everything that has no loss: the residual is below 1e-8 of the throughput, with
# CVODE at rtol 1e-10, however the energy moves: over bonds, between the velocities of a mechanism,
# or from state to state in a field.
. "$(dirname "$0")/common.sh"

keeps_energy() { # FILE EXPERIMENT: of examples/
    "$bondyn" run "$source_folder/examples/$1.bond" "$2" --solver cvode --rtol 1e-10 --atol 1e-13 \
        --no-plot --json --out kept >out 2>err </dev/null
    awk '/"relative"/ { found = 1; sub(/.*"relative": */, ""); bad = !($0 + 0 < 1e-8) }
        END { exit !found || bad }' out || fail "$1 $2: $(grep relative out)"
}

while read -r file experiments; do
    for experiment in $experiments; do keeps_energy "$file" "$experiment"; done
done <<END
ball_joint/ball_joint ByMomenta ByBrown
bright_inverse/bright_inverse X8a X8b
cartesian_linkages/cartesian_linkages Round Turning
cartesian_pendulum/cartesian_pendulum TurnsAdams TurnsStiff
chaplygin_sleigh/chaplygin_sleigh Straightens
double_pendulum/double_pendulum Free Falling
euler_ring/euler_ring Tumbling Driven TumblingField
fast_mass/fast_mass Push
four_bar/four_bar Falls
gear_train/gear_train Step
gyroscope/gyroscope Free FastSpin
mass_spring_damper/mass_spring_damper Free
mcbride_pendulum/mcbride_pendulum Swing MassOwnsState
pendulum/pendulum Release SmallSwing
rack_and_pinion/rack_and_pinion Step RackOwnsState
rigid_body/rigid_body Tumbling EulerAngles Elliptic
rlc/rlc Conservative
rokseth_pendulum_graph/rokseth_pendulum_graph S4 S5
slider_crank/slider_crank Spins
vehicle_chain/vehicle_chain Ground
vehicle_manipulators/kirchhoff_body Drift
vehicle_manipulators/planar_vehicle Slide
vehicle_manipulators/tied_velocities R6 R6Pushed
wagon_pendulum/quasi_velocities TQ1 TQ2
wagon_pendulum/wagon_pendulum S1 S4
END
exit $failed
