#!/bin/sh
# The studio in Chromium: tests/web/browser.mjs on the real server.
exec "$(dirname "$0")/../web/browser_test.sh" "$1" "$2/../.."
