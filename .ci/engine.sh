# Sourced by run: a Docker engine for the tests with containers, with all that it stores in a folder of its own.
#   start_engine FOLDER   starts one unless one answers already, and makes the image to build the node's on
#   stop_engine           ends what it started, whatever state that is in
# After start_engine, engine_problem says why there is none; it is empty if there is one.
engine_start_limit_seconds=60
engine_stop_limit_seconds=30
engine_problem=
engine_pid=
engine_folder=

start_engine() {
  engine_folder=$1
  if ! docker version >/dev/null 2>&1; then
    install_engine || return 0
    launch_engine || return 0
  fi
  export TALLY_TEST_BASE=tally-test-base-$$
  if ! src/test/container-base.sh "$TALLY_TEST_BASE" >"$engine_folder/base.log" 2>&1; then
    engine_problem="the base image could not be made: $(tail -n 1 "$engine_folder/base.log")"
    # Then tests would try to fetch one.
    export DOCKER_HOST=unix://$engine_folder/none.sock
  fi
}

install_engine() {
  command -v dockerd >/dev/null && command -v docker >/dev/null && return
  if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
    engine_problem="no Docker engine answers, and only root can install one here, with apt-get"
    return 1
  fi
  # In newer releases of Debian, the command is a package of its own.
  if ! {
    apt-get update -qq && install_packages docker.io docker-compose &&
      { command -v docker || install_packages docker-cli; }
  } >"$engine_folder/install.log" 2>&1; then
    engine_problem="no Docker engine answers, and docker.io could not be installed: $(tail -n 1 "$engine_folder/install.log")"
    return 1
  fi
}

install_packages() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# Without a rule in the firewall: ports are published on loopback alone, by a process of the engine.
launch_engine() {
  if [[ $EUID -ne 0 ]]; then
    engine_problem="no Docker engine answers, and only root can start one"
    return 1
  fi
  export DOCKER_HOST=unix://$engine_folder/docker.sock
  # Tests have networks of their own. Where the default bridge is there it is another engine's, and "none" would remove it.
  local bridge=(--bridge=none)
  [[ ! -e /sys/class/net/docker0 ]] || bridge=()
  dockerd --host "$DOCKER_HOST" --data-root "$engine_folder/data" --exec-root "$engine_folder/exec" \
    --pidfile "$engine_folder/pid" "${bridge[@]}" --iptables=false --ip6tables=false \
    >"$engine_folder/engine.log" 2>&1 &
  engine_pid=$!
  local ticks=$((engine_start_limit_seconds * 5))
  until docker version >/dev/null 2>&1; do
    if ! kill -0 "$engine_pid" 2>/dev/null || ((ticks-- == 0)); then
      engine_problem="the Docker engine did not start: $(tail -n 1 "$engine_folder/engine.log")"
      return 1
    fi
    sleep 0.2
  done
}

stop_engine() {
  if [[ -z $engine_pid ]]; then
    [[ -z ${TALLY_TEST_BASE:-} ]] || docker rmi --force "$TALLY_TEST_BASE" >/dev/null 2>&1 || true
    return
  fi
  local containers ticks=$((engine_stop_limit_seconds * 5))
  containers=$(docker ps --all --quiet 2>/dev/null || true)
  # shellcheck disable=SC2086 # one word a container
  [[ -z $containers ]] || docker rm --force $containers >/dev/null 2>&1 || true
  kill -TERM "$engine_pid" 2>/dev/null || true
  while kill -0 "$engine_pid" 2>/dev/null && ((ticks-- > 0)); do sleep 0.2; done
  kill -KILL "$engine_pid" 2>/dev/null || true
  wait "$engine_pid" 2>/dev/null || true
  engine_pid=
}
