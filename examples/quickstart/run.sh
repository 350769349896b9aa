#!/usr/bin/env bash
# Starts three nodes on this machine, asks them six questions from Spark, with push-down and without, and stops them.
# Builds what is missing or older than its sources. Needs Java 17, two cores and about 3 GB of memory; listens on loopback only.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
server=$root/partition-server/target/tally-server/bin/tally-server
classpath=$here/target/classpath.txt
java_options=$here/target/java-options
start_limit_seconds=60
stop_limit_seconds=10

work=$(mktemp -d)
pids=()

# Ends the nodes, and nothing else: by the process ids that this script has noted.
stop_nodes() {
  local pid ticks
  for pid in "${pids[@]:+${pids[@]}}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]:+${pids[@]}}"; do
    ticks=$((stop_limit_seconds * 10))
    while kill -0 "$pid" 2>/dev/null && ((ticks-- > 0)); do sleep 0.1; done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  pids=()
}
# Also when interrupted: the trap on EXIT runs once, whatever the reason.
trap 'stop_nodes; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

built() {
  [[ -x $server && -f $java_options && -f $classpath ]] || return 1
  local jars jar
  IFS=: read -ra jars <"$classpath" || true
  for jar in "${jars[@]}"; do [[ -f $jar ]] || return 1; done
  compgen -G "$here/target/tally-quickstart-*.jar" >/dev/null || return 1
  ! stale
}

# True if something was changed, added or deleted (folders tell) after it was built. What each is compared with is
# written by every build; the server's own files have the time stamps of a reproducible archive.
stale() {
  local connector quickstart newer
  connector=$(compgen -G "$root/connector/target/tally-connector-*.jar" | head -n 1)
  quickstart=$(compgen -G "$here/target/tally-quickstart-*.jar" | head -n 1)
  newer=$(
    cd "$root"
    find pom.xml {rpc-protocol,partition-server}/{pom.xml,src/main} -newer "${server%/bin/*}/lib"
    find pom.xml {rpc-protocol,connector}/{pom.xml,src/main} -newer "$connector"
    find "$here"/src/main/{java,resources} -newer "$quickstart"
    find "$here/src/main/launch" -newer "$java_options"
  )
  [[ -n $newer ]]
}

if ! built; then
  echo "Building the nodes, the connector and the quickstart (once; a few minutes, Maven fetches about 500 MB)…"
  if ! (cd "$root" && ./mvnw -B -ntp -DskipTests -Dspotless.check.skip -pl examples/quickstart,partition-server -am package) \
    > >(tee "$work/build.log" | sed -n 's/^\[INFO\] Building \(Tally.*[^ ]\) .*\[.*/  \1/p'); then
    echo "The build failed:" >&2
    grep '^\[ERROR\]' "$work/build.log" >&2 || cat "$work/build.log" >&2
    exit 1
  fi
fi

for node in node-a node-b node-c; do
  "$server" --config "$here/conf/$node.yaml" --ready-file "$work/$node.ready" >"$work/$node.log" 2>&1 &
  pids+=($!)
done

endpoints=
index=0
for node in node-a node-b node-c; do
  ticks=$((start_limit_seconds * 10))
  until [[ -s $work/$node.ready ]]; do
    if ! kill -0 "${pids[$index]}" 2>/dev/null; then
      echo "$node has ended instead of starting. Its log:" >&2
      cat "$work/$node.log" >&2
      exit 1
    fi
    if ((ticks-- == 0)); then
      echo "$node was not ready after $start_limit_seconds s. Its log:" >&2
      cat "$work/$node.log" >&2
      exit 1
    fi
    ((ticks % 20 == 0)) && echo "Waiting for $node (at most $((ticks / 10)) s more)…"
    sleep 0.1
  done
  address=$(<"$work/$node.ready")
  echo "$node listens on $address"
  endpoints+=${endpoints:+,}$address
  index=$((index + 1))
done

# In the background, so that a signal ends the wait (and with it everything) at once.
"${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx1g @"$java_options" \
  -cp "$(compgen -G "$here/target/tally-quickstart-*.jar" | head -n 1):$(<"$classpath")" \
  io.tally.examples.quickstart.Quickstart "$endpoints" &
spark=$!
pids+=("$spark")
status=0
wait "$spark" || status=$?
unset 'pids[-1]'
exit "$status"
