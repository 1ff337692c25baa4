#!/bin/sh
# Installs the system packages that some tests drive, where they are missing and this machine lets us: as root, with
# apt-get. Elsewhere those tests are skipped and say why (under CI=true they fail instead).
set -eu
missing=""
command -v chromium > /dev/null || missing="$missing chromium fonts-noto-cjk"
ls /usr/lib/postgresql/*/bin/postgres > /dev/null 2>&1 || missing="$missing postgresql"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    echo "missing:$missing; the tests that need them are skipped" >&2
    exit 0
fi
echo "installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq > /dev/null
# shellcheck disable=SC2086
apt-get install -qq -y --no-install-recommends $missing > /dev/null
