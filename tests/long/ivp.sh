#!/bin/sh
# The Test Set for IVP Solvers at every rtol from 1e-4 to 1e-10 against CVODE and IDA by hand
# (tests/solve/ivp_test.c).
# usage: ivp.sh BONDYN FOLDER
exec "$2/ivp_test" 7
