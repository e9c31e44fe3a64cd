# packages.sh is sourced by scripts that need a browser: need_browser BONDYN BUILD gives $packages,
# the folder of the npm packages for tests, or says why there is none and leaves with 0.
skip() {
    echo "skipped: $*"
    exit 0
}
need_browser() { # BONDYN BUILD
    command -v node >/dev/null && command -v npm >/dev/null || skip "no node, no npm"
    [ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip "no Chromium"
    "$1" studio /no/such/folder/x.bond --no-open 2>&1 | grep -q "built without the studio" && skip "no studio"
    packages=$2/web/test-$(sha256sum "$web/package-lock.json" | cut -c1-16)
    [ -e "$packages/complete" ] && return
    rm -rf "$packages"
    mkdir -p "$packages"
    cp "$web/package.json" "$web/package-lock.json" "$web/.npmrc" "$packages"
    (cd "$packages" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 >/dev/null 2>&1) || skip "npm cannot get the packages"
    touch "$packages/complete"
}
