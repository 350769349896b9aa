#!/usr/bin/env bash
# Checks the package and Tally in Python: lint, types, tests. Takes arguments for pytest; with "prepare" it only makes the
# environments. Needs Python 3.11 and Java 17, a built checkout (./mvnw -B -DskipTests package), and the first time a network.
# Exit status 3: this Python cannot make the environments.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

environment=$(python3 environment.py)
python3 environment.py requirements-connect.txt requirements.txt >/dev/null
[[ ${1:-} == prepare ]] && exit 0

# Spark and its workers take the first Python that they find.
export PATH=$environment/bin:$PATH
python -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation .
ruff check --config pyproject.toml . ../examples/notebook
ruff format --config pyproject.toml --check . ../examples/notebook
mypy
# Nodes and Sparks that live for seconds: the second compiler would cost more than it brings.
export TALLY_JAVA_OPTS="-XX:TieredStopAtLevel=1 ${TALLY_JAVA_OPTS:-}" SPARK_SUBMIT_OPTS="-XX:TieredStopAtLevel=1 ${SPARK_SUBMIT_OPTS:-}"
exec python -m pytest "$@"
