#!/usr/bin/env bash
# Runs TPC-H over four nodes, with push-down and without: ./src/test/tpch.sh SCALE [--answers FOLDER] [QUERY…]
# Answers are compared with those in FOLDER (q1.out and so on, as TPC's kit has them), else with DuckDB's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [[ ! -f src/test/target/classpath.txt || ! -d src/test/target/test-classes ]]; then
  echo "building …" >&2
  ./mvnw -q -B -DskipTests -Dspotless.check.skip -pl src/test -am package
fi

exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx3g @examples/quickstart/target/java-options -Duser.timezone=UTC \
  -cp "src/test/target/test-classes:$(< src/test/target/classpath.txt)" io.tally.tests.Tpch "$@"
