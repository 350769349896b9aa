#!/usr/bin/env bash
# Asks generated queries with push-down, without, and over the same rows in Parquet, and compares the answers:
# ./src/test/differential.sh --seed N --queries M    (the last line is "N passed, N failed")
# ./src/test/differential.sh --seed N --query K      (one query of them, to repeat a mistake)
# Builds what is missing. Needs Java 17, two cores and about 4 GB of memory; listens on loopback only.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tests=$root/src/test/target
java_options=$root/examples/quickstart/target/java-options

built() {
  [[ -x $root/partition-server/target/tally-server/bin/tally-server ]] || return 1
  [[ -f $java_options && -f $tests/classpath.txt && -d $tests/test-classes/io/tally/tests/differential ]] || return 1
  local jars jar
  IFS=: read -ra jars <"$tests/classpath.txt" || true
  for jar in "${jars[@]}"; do [[ -f $jar ]] || return 1; done
}

if ! built; then
  echo "building …" >&2
  (cd "$root" && ./mvnw -q -B -DskipTests -Dspotless.check.skip -pl src/test -am package)
fi

# Over so few rows the second compiler costs more than it brings. Spark keeps what it knows of past queries for its UI; a
# run of hours must not.
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx2g -XX:+ExitOnOutOfMemoryError @"$java_options" \
  -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m \
  -Dtally.home="$root" -Duser.timezone=UTC \
  -Dspark.ui.retainedJobs=10 -Dspark.ui.retainedStages=10 -Dspark.ui.retainedTasks=100 \
  -Dspark.sql.ui.retainedExecutions=10 \
  -cp "$tests/test-classes:$(<"$tests/classpath.txt")" \
  io.tally.tests.differential.DifferentialMain "$@"
