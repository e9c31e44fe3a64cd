#!/bin/sh
# A thousand random networks of orifices and resistors against Newton's method by hand.
# usage: networks.sh BONDYN FOLDER
exec "$2/networks_test" 1000
