#!/usr/bin/env bash
# What action.yml runs: downloads the archive for this machine, compares its checksum, adds the program to PATH, and starts it.
# RELEASES may name another place with the same files.
set -euo pipefail

releases=${RELEASES:-https://github.com/miniserver-go/miniserver/releases}
if [ "$VERSION" = latest ]; then from=$releases/latest/download; else from=$releases/download/v${VERSION#v}; fi

case $RUNNER_OS in Linux) os=linux ;; macOS) os=darwin ;; Windows) os=windows ;; *) echo "no miniserver for $RUNNER_OS" >&2 && exit 1 ;; esac
case $RUNNER_ARCH in X64) arch=amd64 ;; ARM64) arch=arm64 ;; *) echo "no miniserver for $RUNNER_ARCH" >&2 && exit 1 ;; esac
if [ $os = windows ]; then archive=miniserver_${os}_$arch.zip; else archive=miniserver_${os}_$arch.tar.gz; fi

dir=$RUNNER_TEMP/miniserver
mkdir -p "$dir"
cd "$dir"
curl -fsSL --retry 3 -O "$from/$archive" -O "$from/checksums.txt"
sum=$(command -v sha256sum || echo "shasum -a 256")
grep " $archive\$" checksums.txt | $sum -c -
if [ $os = windows ]; then unzip -oq "$archive"; else tar -xzf "$archive"; fi
echo "$dir" >>"$GITHUB_PATH"

[ -n "$PORT" ] || exit 0
# The server writes a line of JSON when it is ready. It stays after this step and ends with the job.
rm -f ready.json # of an earlier step
# shellcheck disable=SC2086
nohup ./miniserver --port "$PORT" --ready-json $OPTIONS >ready.json 2>miniserver.log </dev/null &
server=$!
until [ -s ready.json ]; do
  kill -0 $server 2>/dev/null || { cat miniserver.log >&2; exit 1; }
  sleep 0.05
done
sed -E 's/.*"url":"([^"]*)","port":([0-9]+).*/url=\1\nport=\2/' ready.json | tee -a "$GITHUB_OUTPUT"
