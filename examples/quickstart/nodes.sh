#!/usr/bin/env bash
# Starts the three nodes of conf/ on this machine, and runs a command that finds their addresses in ENDPOINTS:
#
#   examples/quickstart/nodes.sh [COMMAND [ARGUMENT]…]
#
# Without a command it prints what to paste into another terminal, and waits for Ctrl-C. It always stops the nodes.
# They have to be built; they listen on loopback only.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
server=$here/../../partition-server/target/tally-server/bin/tally-server
stop_limit_seconds=25
# shellcheck source=../processes.sh
source "$here/../processes.sh"

if [[ ! -x $server ]]; then
  echo "The nodes are not built. Run: ./mvnw -B -DskipTests package" >&2
  exit 1
fi

for node in node-a node-b node-c; do
  launch "$node" "$server" --config "$here/conf/$node.yaml" --ready-file "$work/$node.ready"
done

ENDPOINTS=
for node in node-a node-b node-c; do
  await "$node" test -s "$work/$node.ready"
  address=$(<"$work/$node.ready")
  echo "$node listens on $address"
  ENDPOINTS+=${ENDPOINTS:+,}$address
done
export ENDPOINTS

(($# > 0)) && run "$@"
stay "export ENDPOINTS=$ENDPOINTS"
