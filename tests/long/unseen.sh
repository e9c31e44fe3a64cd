#!/bin/sh
# No event is missed: 2000 random models that switch, with every solver of variable steps.
exec "$2/unseen_test" 2000
