#!/bin/sh
# `auto` over 200 random models of all kinds. Arguments: the program, the folder of the test
# programs.
exec "$2/auto_test" 200
