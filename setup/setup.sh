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
# The server writes a line of JSON when it is ready. It stays after this step and ends with the job. If it does not get ready in
# MINISERVER_START_TIMEOUT seconds, it ends here, with all that it has started: set -m makes it a group of processes.
rm -f ready.json # of an earlier step
set -m
# shellcheck disable=SC2086
nohup ./miniserver --port "$PORT" --ready-json $OPTIONS >ready.json 2>miniserver.log </dev/null &
server=$!
set +m

# fail REASON ends it, and says why it does not start.
fail() {
  kill -KILL -- -$server 2>/dev/null || true
  echo "miniserver does not start: $dir/miniserver $1: $({ head -c 200 ready.json && tail -c 2000 miniserver.log; } | tr -d '\0')" >&2
  exit 1
}

patience=${MINISERVER_START_TIMEOUT:-10}
end=$((SECONDS + ${patience%.*}))
until [ -s ready.json ]; do
  if ! kill -0 $server 2>/dev/null; then
    status=0
    wait $server || status=$?
    fail "ended with status $status"
  fi
  [ $SECONDS -le $end ] || fail "has not said in $patience seconds that it is ready"
  sleep 0.05
done
# What is no ready line may have no end either.
line=$(head -c 4096 ready.json | tr -d '\0' | sed -n 1p)
ready='^\{"url":"([^"]*)","port":([0-9]+),.*\}$'
grep -Eaq "$ready" <<<"$line" || fail "printed something else in place of its ready line"
sed -E "s/$ready/url=\1\nport=\2/" <<<"$line" | tee -a "$GITHUB_OUTPUT"
