#!/bin/sh
# Installs the system packages that some tests drive, where they are missing and this machine lets us: as root, with
# apt-get; all of them, or those that are named (chromium postgresql java). Elsewhere those tests are skipped and say
# why (under CI=true they fail instead).
set -eu
[ $# -gt 0 ] || set -- chromium postgresql java
missing=""
for wanted in "$@"; do
    case $wanted in
        chromium) command -v chromium > /dev/null || missing="$missing chromium fonts-noto-cjk" ;;
        postgresql) ls /usr/lib/postgresql/*/bin/postgres > /dev/null 2>&1 || missing="$missing postgresql" ;;
        java) command -v java > /dev/null || missing="$missing openjdk-17-jre-headless" ;;
    esac
done
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
