#!/usr/bin/env bash
# Runs the public compliance suite `llm-comply`, in its Open Responses and OpenAI chat formats, against the stand-in
# upstream, then against Toolroll in front of it with rolling up off and on. Every test that passes directly must pass
# through Toolroll.
#
#   npm run test:comply              all three runs of both formats
#   bash test/comply/run.sh direct   the stand-in alone
set -euo pipefail
cd "$(dirname "$0")/../.."

version=0.5.0
model=gpt-5 # the suite runs its reasoning test for reasoning models only
venv=.cache/comply
formats=(open-responses openai-chat)
work=$(mktemp -d)
started=()

finish() {
  for pid in "${started[@]}"; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap finish EXIT

# A Python without `venv` (Debian packs it apart) gets a plain directory of packages instead.
install_suite() {
  [ -x "$venv/bin/llm-comply" ] && "$venv/bin/llm-comply" --version | grep -qF "$version" && return
  rm -rf "$venv"
  mkdir -p .cache
  if python3 -m venv "$venv" >"$work/venv.log" 2>&1 || python3 -m virtualenv -q "$venv" >>"$work/venv.log" 2>&1; then
    "$venv/bin/python" -m pip install -q --disable-pip-version-check "llm-comply==$version"
  else
    rm -rf "$venv"
    python3 -m pip install -q --disable-pip-version-check --target "$venv/lib" "llm-comply==$version"
    mkdir -p "$venv/bin"
    printf '#!/bin/sh\nPYTHONPATH=%s exec python3 -m llm_comply.cli "$@"\n' "$PWD/$venv/lib" >"$venv/bin/llm-comply"
    chmod +x "$venv/bin/llm-comply"
  fi
}

# Waits until a file holds a line that matches, and prints the line.
wait_for() { # file, pattern, pid
  for _ in $(seq 200); do
    grep -m1 -E "$2" "$1" 2>/dev/null && return
    kill -0 "$3" 2>/dev/null || break
    sleep 0.1
  done
  echo "Did not come up; its output:" >&2
  cat "$1" >&2
  return 1
}

# Runs every format; a run that fails is told by the table.
run_suite() { # name, base URL
  for format in "${formats[@]}"; do
    mkdir -p "$work/$format"
    NO_PROXY=127.0.0.1 no_proxy=127.0.0.1 "$venv/bin/llm-comply" run --base-url "$2" --api-key sk-comply \
      --model "$model" --format "$format" --json >"$work/$format/$1.json" || true
  done
}

start_upstream() {
  node dist/benchmark/upstream/main.js --port 0 >"$work/upstream.log" 2>&1 &
  started+=("$!")
  upstream=$(wait_for "$work/upstream.log" 'listening on' "$!" | sed 's/.*listening on //')
}

start_toolroll() { # name of the rules directory
  UPSTREAM_BASE_URL=$upstream TOOLROLL_PROXY_LISTEN=127.0.0.1:0 TOOLROLL_CONTROL_LISTEN=127.0.0.1:0 \
    TOOLROLL_RULES_DIR="$PWD/test/comply/rules/$1" node dist/cli.js serve >"$work/$1.out" 2>"$work/$1.log" &
  started+=("$!")
  listening=$(wait_for "$work/$1.log" '"event":"listening"' "$!")
  proxy=$(sed 's/.*"proxy":"\([^"]*\)".*/\1/' <<<"$listening")
  control=$(sed 's/.*"control":"\([^"]*\)".*/\1/' <<<"$listening")
}

# A pass would mean nothing if no tool had been rolled up: the counters of selecting hops must say so, for each protocol.
require_hops() { # 'some' or 'none'
  python3 - "$control/metrics" "$1" <<'PYTHON'
import re, sys, urllib.request

opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
metrics = opener.open(sys.argv[1]).read().decode()
lines = re.findall(r'^toolroll_hops_total\{([^}]*)\} (\d+)', metrics, re.M)
for protocol in ("responses", "chat"):
    wanted = (f'protocol="{protocol}"', 'kind="select"')
    hops = sum(int(count) for labels, count in lines if all(label in labels for label in wanted))
    if (hops > 0) != (sys.argv[2] == "some"):
        sys.exit(f"Expected {sys.argv[2]} selecting hops of {protocol}, the metrics count {hops}.")
PYTHON
}

install_suite
npm run --silent build
start_upstream
run_suite direct "$upstream"
runs=(direct)
if [ "${1:-all}" != direct ]; then
  for rules in off two-hop; do
    start_toolroll "$rules"
    run_suite "$rules" "$proxy/v1"
    if [ "$rules" = two-hop ]; then require_hops some; else require_hops none; fi
    runs+=("$rules")
  done
fi
failed=0
for format in "${formats[@]}"; do
  printf '\n%s\n' "$format"
  python3 test/comply/table.py "$work/$format" "${runs[@]}" || failed=1
done
exit "$failed"
