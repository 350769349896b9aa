# shellcheck shell=bash
# For scripts that start processes, to be sourced: starts them, waits until each is ready, and ends them whatever happens.
# Nothing else is ended: only processes whose ids were noted here.

start_limit_seconds=60
# All together; a script that runs another one of these gives it more than that takes.
stop_limit_seconds=${stop_limit_seconds:-10}

work=
pids=()

stop_all() {
  local pid ticks=$((stop_limit_seconds * 10))
  for pid in "${pids[@]:+${pids[@]}}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]:+${pids[@]}}"; do
    while kill -0 "$pid" 2>/dev/null && ((ticks-- > 0)); do sleep 0.1; done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  pids=()
}
# Also when interrupted: the trap on EXIT runs once, whatever the reason.
trap 'stop_all; rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
# Only now, so that no signal finds it with nobody to delete it.
work=$(mktemp -d)

# launch NAME COMMAND [ARGUMENT]…: its output goes to $work/NAME.log.
launch() {
  local name=$1
  shift
  "$@" >"$work/$name.log" 2>&1 &
  pids+=($!)
  echo $! >"$work/$name.pid"
}

# await NAME TEST [ARGUMENT]…: returns when the test succeeds; fails if the process ends, or takes too long.
await() {
  local name=$1 ticks=$((start_limit_seconds * 10)) pid
  shift
  pid=$(<"$work/$name.pid")
  until "$@"; do
    if ! kill -0 "$pid" 2>/dev/null; then
      echo "$name has ended instead of starting. Its log:" >&2
      cat "$work/$name.log" >&2
      exit 1
    fi
    if ((ticks-- == 0)); then
      echo "$name was not ready after $start_limit_seconds s. Its log:" >&2
      cat "$work/$name.log" >&2
      exit 1
    fi
    ((ticks % 20 == 0)) && echo "Waiting for $name (at most $((ticks / 10)) s more)…"
    sleep 0.1
  done
}

# run COMMAND [ARGUMENT]…: ends with its exit status. In the background, so that a signal ends the wait, and with it
# everything, at once.
run() {
  local status=0
  "$@" &
  pids+=($!)
  wait $! || status=$?
  unset "pids[$((${#pids[@]} - 1))]"
  exit "$status"
}

# stay LINE: shows what to paste, and waits for a signal.
stay() {
  echo
  echo "Paste this into another terminal; Ctrl-C here stops everything:"
  echo
  echo "$1"
  wait
  echo "All processes have ended by themselves." >&2
  exit 1
}
