#!/usr/bin/env bash
# Builds the image and walks it through a day in a cluster: a read-only root and no rights, rules laid out as a
# ConfigMap, a turn, a changed rule, a broken rule, the metrics, and SIGTERM in the middle of a stream.
#   deploy/image/check.sh          needs `npm ci`, curl and a container engine; ends with "N passed, N failed"
# The image stays as toolroll:check; everything else that is started here ends with this script.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
# shellcheck source=deploy/image/check-lib.sh
source deploy/image/check-lib.sh

image=toolroll:check
base=node:24-bookworm-slim
growth_limit_mb=40
# The name carries our process id: two runs at once do not meet.
container=toolroll-check-$$
work=$(mktemp -d)
rules=$work/rules
upstream_pid=
stream_pid=
trap clean_up EXIT
trap 'exit 130' INT TERM

clean_up() {
  [ -z "$stream_pid" ] || kill "$stream_pid" 2>/dev/null
  [ -z "$upstream_pid" ] || kill "$upstream_pid" 2>/dev/null
  docker rm -f "$container" >/dev/null 2>&1
  rm -rf "$work"
}

need_engine() {
  # Where no container registry can be reached, a neighbour of the checkout may know how to make the base image.
  local maker=../shared/tools/local-base-image.sh
  if [ -f "$maker" ]; then
    bash "$maker" "$base" >"$work/base.log" 2>&1 || stop_with 'the base image cannot be made' "$work/base.log"
  fi
  docker info >/dev/null 2>&1 && return
  echo '############################################################'
  echo 'SKIPPED: no container engine answers, the image is NOT checked'
  echo '############################################################'
  exit 0
}

build() {
  local version revision
  version=$(node -p 'require("./package.json").version')
  revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
  docker build --force-rm --network host --build-arg "BASE=$base" --build-arg "VERSION=$version" \
    --build-arg "REVISION=$revision" -t "$image" . >"$work/build.log" 2>&1 ||
    stop_with 'the image does not build' "$work/build.log"
  pass 'builds'
  config=$(docker image inspect "$image")
  expect 'runs as a numeric user that is not root' "$(field "$config" '[0].Config.User')" = 65532:65532
  expect 'starts node itself, without a shell' "$(field "$config" '[0].Config.Entrypoint.join(" ")')" = 'node /app/dist/cli.js'
  expect 'leaves health to probes' "$(field "$config" '[0].Config.Healthcheck')" = undefined
  expect 'says its version' "$(field "$config" '[0].Config.Labels["org.opencontainers.image.version"]')" = "$version"
  expect 'says its revision' "$(field "$config" '[0].Config.Labels["org.opencontainers.image.revision"]')" = "$revision"
}

# From inside, by the node that is there anyway.
look_inside() {
  local found heap
  found=$(docker run --rm --entrypoint node "$image" -e '
    const { lstatSync, readdirSync } = require("node:fs");
    const paths = readdirSync("/app", { recursive: true }).map((name) => `/app/${name}`);
    const isLoose = (path) => { const s = lstatSync(path); return s.uid !== 0 || (!s.isSymbolicLink() && (s.mode & 0o022) !== 0); };
    const isSurplus = (path) => /\.map$|\.d\.[cm]?ts$|^\/app\/dist\/benchmark|\/node_modules\/(jest|typescript|openai)\//.test(path);
    console.log(JSON.stringify({ loose: paths.filter(isLoose), surplus: paths.filter(isSurplus), files: paths.length }));')
  expect 'holds files' "$(field "$found" '.files')" -gt 100
  expect 'lets nobody but root write its files' "$(field "$found" '.loose.join(" ")')" = ''
  expect 'holds nothing that only development needs' "$(field "$found" '.surplus.slice(0, 3).join(" ")')" = ''
  heap=$(docker run --rm --memory 256m --entrypoint node "$image" \
    -p 'Math.round(v8.getHeapStatistics().heap_size_limit / 2 ** 20)')
  expect "keeps its heap ($heap MiB) below a memory limit of 256 MiB" "$heap" -lt 220
  growth_mb=$((($(docker image inspect -f '{{.Size}}' "$image") - $(docker image inspect -f '{{.Size}}' "$base")) / 1000000))
  expect "adds at most $growth_limit_mb MB to its base" "$growth_mb" -le $growth_limit_mb
}

start() {
  npm run --silent build || stop_with 'the stand-in upstream does not build'
  node dist/benchmark/upstream/main.js --port 0 >"$work/upstream.log" 2>&1 &
  upstream_pid=$!
  wait_for 'the stand-in upstream listens' grep -q listening "$work/upstream.log"
  upstream=$(grep -o 'http://[^ ]*' "$work/upstream.log")

  mkdir "$rules"
  write_rules first 'filter: { deny: [transfer_money] }'
  # The engine's root has to reach them, and so has the image's user.
  chmod -R a+rX "$work"

  local from
  from=$(now_ms)
  docker run -d --name "$container" --network host \
    --read-only --user 65532 --cap-drop ALL --security-opt no-new-privileges \
    -v "$rules:/etc/toolroll/rules:ro" -e "UPSTREAM_BASE_URL=$upstream" \
    -e TOOLROLL_PROXY_LISTEN=127.0.0.1:0 -e TOOLROLL_CONTROL_LISTEN=127.0.0.1:0 "$image" >/dev/null ||
    stop_with 'the container does not start'
  wait_for 'starts without rights on a read-only root' log_has listening
  proxy=$(log_field listening .proxy)
  control=$(log_field listening .control)
  wait_for 'becomes ready' curl -fso /dev/null "$control/readyz"
  ready_ms=$(($(now_ms) - from))
}

take_a_turn() {
  local direct
  direct=$(curl -s -H 'content-type: application/json' --data-binary "$(turn)" "$upstream/responses")
  ask "$(turn)"
  expect 'rolls 37 tools up' "$(header x-toolroll-plan)" = two_hop
  expect 'takes two hops' "$(header x-toolroll-hops)" = 2
  expect 'gives back the call that the question needs' "$(calls)" = get_weather_forecast
  expect 'calls as the model does without Toolroll' "$(field "$answer" .output[0].arguments)" = "$(field "$direct" .output[0].arguments)"
  expect "echoes the app's own tools" "$(field "$answer" .tools.length)" = 37
  direct_tokens=$(field "$direct" .usage.input_tokens)
  through_tokens=$(field "$answer" .usage.input_tokens)
  expect "costs $through_tokens input tokens of $direct_tokens, at most 12 %" $((through_tokens * 100)) -le $((direct_tokens * 12))
}

change_a_rule() {
  first_revision=$(header x-toolroll-revision)
  write_rules second 'filter: { deny: [transfer_money, get_weather_forecast] }'
  wait_for 'serves changed rules without a restart' status_is '.revision !== "'"$first_revision"'" && .faults.length === 0'
  second_revision=$(field "$(curl -s "$control/api/status")" .revision)
  ask "$(turn)"
  expect 'names the new revision on a turn' "$(header x-toolroll-revision)" = "$second_revision"
  expect 'hides a tool that the new rules deny' "$(calls | grep -cx get_weather_forecast)" = 0
}

break_a_rule() {
  write_rules third 'filter: { denyy: [transfer_money] }'
  wait_for 'notices broken rules' status_is '.faults.length > 0'
  local status
  status=$(curl -s "$control/api/status")
  expect 'says where they are broken' "$(field "$status" '.faults.every((f) => f.file === "default.yaml" && f.line === 6 && f.pointer !== "")')" = true
  expect 'keeps the last good revision' "$(field "$status" .revision)" = "$second_revision"
  ask "$(turn)"
  expect 'serves turns by the last good rules' "$(header x-toolroll-revision)" = "$second_revision"
  expect 'stays ready' "$(curl -so /dev/null -w '%{http_code}' "$control/readyz")" = 200
  expect 'says so in the metrics' "$(metric toolroll_config_last_reload_successful)" = 0
  write_rules fourth 'filter: { deny: [transfer_money] }'
  wait_for 'recovers once they are mended' status_is '.faults.length === 0'
  expect 'says that in the metrics, too' "$(metric toolroll_config_last_reload_successful)" = 1
}

read_control() {
  curl -s "$control/metrics" >"$work/metrics"
  local saved
  saved=$(grep '^toolroll_tokens_saved_total' "$work/metrics" | awk '{ sum += $2 } END { printf "%d", sum }')
  expect "counts what was saved ($saved tokens)" "$saved" -ge $((direct_tokens - through_tokens - direct_tokens / 20))
  if command -v promtool >/dev/null; then
    promtool check metrics <"$work/metrics" >"$work/promtool.log" 2>&1
    expect 'pleases promtool' "$? $(cat "$work/promtool.log")" = '0 '
  else
    echo 'SKIPPED: promtool is not there to read the metrics'
  fi
  local path
  for path in /docs /docs/openapi.json /docs/start.js /docs/swagger-ui.css /docs/swagger-ui-bundle.js /docs/favicon-32x32.png; do
    expect "answers $path" "$(curl -so /dev/null -w '%{http_code}' "$control$path")" = 200
  done
}

# Seconds pass between the first event and the last: SIGTERM comes in between.
stop_during_a_stream() {
  curl -sN -H 'content-type: application/json' -H 'x-stand-in-fault: slow_events;ms=300;hop=2' \
    --data-binary "$(turn '"stream":true')" "$proxy/v1/responses" >"$work/stream" &
  stream_pid=$!
  wait_for 'streams' grep -q '^event: response.output_item.added' "$work/stream"
  docker kill -s TERM "$container" >/dev/null
  expect 'has not ended when it is told to' "$(grep -c '^event: response.completed' "$work/stream")" = 0
  wait "$stream_pid"
  expect 'lets the stream end whole' "$? $(tail -n 3 "$work/stream" | grep -c '"type":"response.completed"')" = '0 1'
  stream_pid=
  expect 'numbers its events without a gap' "$(sed -n 's/^data: //p' "$work/stream" |
    node -pe 'require("node:fs").readFileSync(0, "utf8").trim().split("\n").every((line, at) => JSON.parse(line).sequence_number === at)')" = true
  expect 'exits with 0' "$(timeout 60 docker wait "$container")" = 0
  expect 'says that it stopped of its own accord' "$(log_has stopped && ! log_has drain_cut && echo yes)" = yes
  expect 'logs JSON lines only' "$(docker logs "$container" 2>&1 |
    node -pe 'require("node:fs").readFileSync(0, "utf8").trim().split("\n").every((line) => typeof JSON.parse(line).event === "string")')" = true
}

need_engine
docker image inspect "$base" >/dev/null 2>&1 || docker pull -q "$base" >/dev/null || stop_with "$base cannot be had"
build
look_inside
start
take_a_turn
change_a_rule
break_a_rule
read_control
stop_during_a_stream

printf '\nimage: %s MB over its base; container to ready: %s ms; 37 tools: %s input tokens of %s\n' \
  "$growth_mb" "$ready_ms" "$through_tokens" "$direct_tokens"
finish
