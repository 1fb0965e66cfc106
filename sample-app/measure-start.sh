#!/usr/bin/env bash
# From the start of the process to its first page, with H2 and a first start's photos; then its memory at rest.
# Build the jar first: mvn -pl sample-app -am package -DskipTests
# Usage: sample-app/measure-start.sh [runs, 5] [seconds of rest, 15] [arguments of the application ...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

runs=${1:-5}
rest=${2:-15}
shift $(($# < 2 ? $# : 2))
port=${PORT:-18080}
folder=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$folder"' EXIT

# As 'spring-boot:run' starts it: from single jars, and compiled once for a quick start.
unzip -q target/shardedid-sample-app-*.jar -d "$folder/app"
ticks=$(getconf CLK_TCK)

start() {
  local began now
  began=$(date +%s%N)
  java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m -cp "$folder/app/BOOT-INF/classes:$folder/app/BOOT-INF/lib/*" \
    io.shardedid.sample.SampleApplication --server.port="$port" "$@" >"$folder/log" 2>&1 &
  pid=$!
  until curl -sf -o "$folder/page" "http://localhost:$port/"; do
    kill -0 "$pid" 2>/dev/null || { cat "$folder/log"; exit 1; }
    sleep 0.02
  done
  now=$(date +%s%N)
  awk -v wall=$(((now - began) / 1000000)) -v hz="$ticks" '{ printf "%d %d\n", wall, ($14 + $15) * 1000 / hz }' "/proc/$pid/stat"
}

for run in $(seq "$runs"); do
  load=$(cut -d' ' -f1 /proc/loadavg)
  start "$@" >"$folder/figures"
  read -r wall cpu <"$folder/figures"
  sleep "$rest"
  rss=$(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$pid/status")
  kill "$pid"
  wait "$pid" 2>/dev/null || true
  pid=
  echo "run $run: first page after $wall ms (CPU $cpu ms), at rest $rss MB, load before $load"
  echo "$wall" >>"$folder/walls"
done
sort -n "$folder/walls" | awk '{ all[NR] = $1 } END { print "median: " all[int((NR + 1) / 2)] " ms of " NR " runs" }'
