#!/usr/bin/env bash
# Runs the benchmarks named, or all of them:
#   ./benchmarks/run.sh [transport] [memory] [grouping] [incident] [links] [concurrency]
# TALLY_BENCHMARKS_QUICK=true: with few rows and repetitions, to see that they work; the figures mean nothing then.
# Results go to benchmarks/results/NAME.json; one line a goal is printed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ! -f benchmarks/target/classpath.txt || ! -x partition-server/target/tally-server/bin/tally-server ||
  ! -f examples/quickstart/target/classpath.txt ]]; then
  echo "building …" >&2
  ./mvnw -q -B -DskipTests -Dspotless.check.skip -pl benchmarks -am package
fi

if [[ ${TALLY_BENCHMARKS_QUICK:-} == true ]]; then
  # The second compiler would cost more than it brings; for nodes and Spark, too.
  export JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1
fi

cd benchmarks
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx4g --add-opens=java.base/java.nio=ALL-UNNAMED \
  -Dtally.server.home=../partition-server/target/tally-server \
  -Dtally.spark.home=../examples/quickstart/target \
  -cp "target/classes:$(cat target/classpath.txt)" io.tally.benchmarks.Benchmarks "$@"
