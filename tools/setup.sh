#!/bin/sh
# Installs what is missing from packages.txt with the distribution's package manager.
#     tools/setup.sh build          what building and running need
#     tools/setup.sh build test     and what testing needs
# Uses sudo only when not root and only when something is missing.
set -eu
cd "$(dirname "$0")/.."

# Node and npm may come from elsewhere: what counts is that the commands are there, and new enough.
is_there() { # is_there PACKAGE
    case $1 in
    nodejs) node -e 'process.exit(+process.versions.node.split(".")[0] >= 18 ? 0 : 1)' 2>/dev/null && return 0 ;;
    npm) command -v npm >/dev/null && return 0 ;;
    esac
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

missing=""
for group in "$@"; do
    for package in $(sed -n "s/^$group \([a-z0-9.+-]*\)\$/\1/p" packages.txt); do
        is_there "$package" || missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "setup: please install the counterparts of these Debian packages:$missing" >&2
    exit 1
fi
sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
echo "setup: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
mkdir -p build
# shellcheck disable=SC2086
{ $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends $missing; } \
    >build/setup.log 2>&1 || { tail -n 30 build/setup.log >&2; exit 1; }
