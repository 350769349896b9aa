#!/usr/bin/env bash
# Runs the notebook from top to bottom and compares its outputs with the committed ones; with --update it writes them.
# Needs Python 3.11 and Java 17, a built checkout (./mvnw -B -DskipTests package), and the first time a network.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$here/../../python

environment=$(python3 "$python/environment.py")
# Spark and its workers take the first Python that they find.
export PATH=$environment/bin:$PATH
python -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation "$python"
# Without --update no times are shown: for nodes and a Spark that live for seconds, the second compiler would cost more than it brings.
if (($# == 0)); then
  export TALLY_JAVA_OPTS="-XX:TieredStopAtLevel=1 ${TALLY_JAVA_OPTS:-}" SPARK_SUBMIT_OPTS="-XX:TieredStopAtLevel=1 ${SPARK_SUBMIT_OPTS:-}"
fi
exec python "$here/run.py" "$@"
