#!/bin/sh
# Functions of matrices over random systems, and their derivatives. Arguments: the program, the
# folder of the test programs.
"$2/matrix_function_test" 1500 && exec "$2/matrix_rates_test" 100
