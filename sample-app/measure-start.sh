#!/usr/bin/env bash
# From the start of the process to its first page, with H2 and a first start's photos; then its memory at rest.
# Build the jar first: mvn -pl sample-app -am package -DskipTests
# Usage: [AS=run|jar] sample-app/measure-start.sh [runs, 5] [seconds of rest, 15] [arguments of the application ...]
#   AS=run, the default: as 'mvn spring-boot:run' starts it, from single jars and compiled once for a quick start
#   AS=jar: as a container starts it, 'java -jar', compiled as a server
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

runs=${1:-5}
rest=${2:-15}
shift $(($# < 2 ? $# : 2))
port=${PORT:-18080}
folder=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$folder"' EXIT

jar=$(ls target/shardedid-sample-app-*.jar | grep -v -e sources -e javadoc)
options=(-XX:+UseSerialGC -Xmx512m -XX:MetaspaceSize=128m)
if [ "${AS:-run}" = jar ]; then
  command=(java "${options[@]}" -jar "$jar")
else
  # META-INF of the classes is at the root of the jar.
  unzip -q "$jar" -d "$folder/app"
  command=(java -XX:TieredStopAtLevel=1 "${options[@]}" -cp "$folder/app:$folder/app/BOOT-INF/classes:$folder/app/BOOT-INF/lib/*"
    io.shardedid.sample.SampleApplication)
fi
ticks=$(getconf CLK_TCK)

start() {
  local began now
  began=$(date +%s%N)
  "${command[@]}" --server.port="$port" "$@" >"$folder/log" 2>&1 &
  pid=$!
  until curl -sf -o "$folder/page" "http://localhost:$port/"; do
    kill -0 "$pid" 2>/dev/null || { cat "$folder/log"; exit 1; }
    sleep 0.02
  done
  now=$(date +%s%N)
  awk -v wall=$(((now - began) / 1000000)) -v hz="$ticks" '{ printf "%d %d\n", wall, ($14 + $15) * 1000 / hz }' "/proc/$pid/stat"
}

resident() {
  awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$pid/status"
}

# What is in use of the heap's generations, and of the metaspace, in MB.
used() {
  jcmd "$pid" GC.heap_info | awk -v lines="$1" '$0 ~ lines { sub(/.*used /, ""); sum += int($0) } END { print int(sum / 1024) }'
}

for run in $(seq "$runs"); do
  load=$(cut -d' ' -f1 /proc/loadavg)
  start "$@" >"$folder/figures"
  read -r wall cpu <"$folder/figures"
  sleep "$rest"
  rss=$(resident)
  jcmd "$pid" GC.run >/dev/null
  echo "run $run: first page after $wall ms (CPU $cpu ms), load before $load; at rest $rss MB resident," \
    "after a full collection $(resident) MB, of it $(used 'generation|DefNew|Tenured|heap') MB heap and $(used Metaspace) MB metaspace"
  kill "$pid"
  wait "$pid" 2>/dev/null || true
  pid=
  echo "$wall" >>"$folder/walls"
  echo "$cpu" >>"$folder/cpus"
  echo "$rss" >>"$folder/rests"
done
median() { sort -n "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
echo "median of $runs: first page after $(median "$folder/walls") ms, CPU $(median "$folder/cpus") ms, at rest $(median "$folder/rests") MB"
