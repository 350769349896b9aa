#!/usr/bin/env bash
# Starts three nodes, and a Spark cluster of a master and a worker, each a process of its own; then prints what to paste
# into another terminal, and waits for Ctrl-C. It always stops all of them. They listen on loopback only.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ -n ${ENDPOINTS:-} ]] || exec "$here/../quickstart/nodes.sh" "$0" "$@"
# shellcheck source=../processes.sh
source "$here/../processes.sh"

if ! spark_class=$(command -v spark-class); then
  echo "There is no Spark in the PATH. Run: export PATH=\"\$(python/environment.py)/bin:\$PATH\"" >&2
  exit 1
fi

# Spark's own server for the UI listens where this says, too.
export SPARK_LOCAL_IP=127.0.0.1
export SPARK_LOCAL_DIRS=$work/local
# In the heap of each; an executor has its own, see --memory.
export SPARK_DAEMON_MEMORY=256m
export SPARK_MASTER_OPTS=-Dspark.master.rest.enabled=false

launch master "$spark_class" org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 0 --webui-port 0
await master grep -q 'Starting Spark master at' "$work/master.log"
MASTER=$(sed -n 's/.*Starting Spark master at \(spark:[^ ]*\).*/\1/p' "$work/master.log")
echo "The master is $MASTER"

launch worker "$spark_class" org.apache.spark.deploy.worker.Worker --host 127.0.0.1 --port 0 --webui-port 0 \
  --cores 1 --memory 1g --work-dir "$work/work" "$MASTER"
await worker grep -q 'Successfully registered with master' "$work/worker.log"
echo "A worker offers one core and 1 GB"

stay "export SPARK_LOCAL_IP=$SPARK_LOCAL_IP MASTER=$MASTER ENDPOINTS=$ENDPOINTS"
