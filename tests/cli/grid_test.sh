#!/bin/sh
# Tables of two to four variables from files, rows in any order and in other units, against
# interpolation written down here.
. "$(dirname "$0")/common.sh"
python3 "$here/grid_tables.py" >grids.bond || fail "no tables"
expect_exit 0 run grids.bond --no-plot
expect_text out "60 of 60 hold"
