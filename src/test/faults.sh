#!/usr/bin/env bash
# Lets connections, nodes, executors and readers fail at moments that a seed chooses, while queries run:
# ./src/test/faults.sh --seed N --schedules M    (the last line is "N passed, N failed")
# ./src/test/faults.sh --seed N --schedule K     (one schedule of them, to repeat a mistake)
# Builds what is missing. Needs Java 17, two cores and about 4 GB of memory; listens on loopback only.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tests=$root/src/test/target
java_options=$root/examples/quickstart/target/java-options

built() {
  [[ -x $root/partition-server/target/tally-server/bin/tally-server ]] || return 1
  [[ -f $java_options && -f $tests/classpath.txt && -d $tests/test-classes/io/tally/tests/faults ]] || return 1
  local jar
  for jar in "${jars[@]}"; do [[ -f $jar ]] || return 1; done
}

read_jars() {
  jars=()
  if [[ -f $tests/classpath.txt ]]; then IFS=: read -ra jars <"$tests/classpath.txt" || true; fi
}

read_jars
if ! built; then
  echo "building …" >&2
  (cd "$root" && ./mvnw -q -B -DskipTests -Dspotless.check.skip -pl src/test -am package)
  read_jars
fi

# Spark starts executors from an installation; this one is made of links.
export SPARK_HOME=$tests/spark-home SPARK_SCALA_VERSION=2.13 SPARK_LOCAL_IP=127.0.0.1
rm -rf "$SPARK_HOME"
mkdir -p "$SPARK_HOME/jars"
ln -s "${jars[@]}" "$SPARK_HOME/jars"

exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx2g -XX:+ExitOnOutOfMemoryError @"$java_options" \
  -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m \
  -Dtally.home="$root" -Duser.timezone=UTC \
  -cp "$tests/test-classes:$(<"$tests/classpath.txt")" \
  io.tally.tests.faults.FaultsMain "$@"
