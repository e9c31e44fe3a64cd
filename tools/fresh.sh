#!/bin/sh
# Proves the README on a machine with nothing installed: a minimal Debian root made by debootstrap,
# with this machine's own package sources, the committed tree, and the two commands of the README.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "fresh: needs root, for chroot" >&2; exit 1; }

uri=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    sed -nE 's/^deb (\[[^]]*\] )?([^ ]+) .*/\2/p; s/^URIs: *([^ ]+).*/\1/p' | head -n 1)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
root=$(mktemp -d "${TMPDIR:-/var/tmp}/bondyn-fresh.XXXXXX")
clean() {
    umount "$root/proc" "$root/dev/pts" "$root/dev" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
trap clean EXIT INT TERM

echo "fresh: a minimal $suite root in $root"
debootstrap --variant=minbase --include=make "$suite" "$root" "$uri" >"$root.log" 2>&1 ||
    { tail "$root.log"; exit 1; }
rm -f "$root.log"
cp -r /etc/apt/. "$root/etc/apt/"            # the same package sources, proxies and keys
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
cp /etc/hosts "$root/etc/hosts" 2>/dev/null || true
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts" # pseudo-terminals for the tests of the terminal
mkdir "$root/bondyn"
git archive HEAD | tar -x -C "$root/bondyn"
for target in demo test; do
    echo "fresh: make $target"
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        make -C /bondyn --no-print-directory "$target"
done
echo "fresh: both commands work on a machine with nothing installed"
