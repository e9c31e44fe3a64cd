#!/bin/sh
# Plates of springs and chains with 1000 states: all eigenvalues to 1e-10 of the largest. Arguments:
# the program, the folder of the test programs.
exec "$2/poles_test" 20 18 500
