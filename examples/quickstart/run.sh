#!/usr/bin/env bash
# Starts three nodes on this machine, asks them six questions from Spark, with push-down and without, and stops them.
# Builds what is missing or older than its sources. Needs Java 17, two cores and about 3 GB of memory; listens on loopback only.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
server=$root/partition-server/target/tally-server/bin/tally-server
classpath=$here/target/classpath.txt
java_options=$here/target/java-options
log=$here/target/build.log

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
  mkdir -p "$here/target"
  if ! (cd "$root" && ./mvnw -B -ntp -DskipTests -Dspotless.check.skip -pl examples/quickstart,partition-server -am package) \
    > >(tee "$log" | sed -n 's/^\[INFO\] Building \(Tally.*[^ ]\) .*\[.*/  \1/p'); then
    echo "The build failed:" >&2
    grep '^\[ERROR\]' "$log" >&2 || cat "$log" >&2
    exit 1
  fi
fi

# shellcheck disable=SC2016 # The endpoints are known once the nodes listen.
exec "$here/nodes.sh" bash -c 'exec "$0" "$@" "$ENDPOINTS"' \
  "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx1g @"$java_options" \
  -cp "$(compgen -G "$here/target/tally-quickstart-*.jar" | head -n 1):$(<"$classpath")" \
  io.tally.examples.quickstart.Quickstart
