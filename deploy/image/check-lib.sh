# shellcheck shell=bash disable=SC2154
# What check.sh asks with; sourced, not run. Uses its $work, $rules, $container, $proxy and $control.

passed=0
failed=0

pass() {
  passed=$((passed + 1))
  echo "ok      $1"
}

fail() {
  failed=$((failed + 1))
  echo "FAILED  $1"
}

# expect SENTENCE LEFT OPERATOR RIGHT, with the operators of test(1)
expect() {
  if test "$2" "$3" "$4"; then pass "$1"; else fail "$1: '$2' is not $3 '$4'"; fi
}

finish() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
  exit
}

# Nothing after this could pass: shows why, and ends. stop_with SENTENCE [LOG]
stop_with() {
  fail "$1"
  [ -z "${2:-}" ] || tail -n 30 "$2"
  docker inspect "$container" >/dev/null 2>&1 && docker logs "$container" 2>&1 | tail -n 20
  finish
}

now_ms() { date +%s%3N; }

# wait_for SENTENCE COMMAND…: up to 30 s, which is far more than anything here takes
wait_for() {
  local sentence=$1 until=$((SECONDS + 30))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$until" ] || stop_with "$sentence"
    sleep 0.05
  done
  pass "$sentence"
}

# field JSON PATH: what stands there, as text. The path is JavaScript, as in `.usage.input_tokens`.
field() {
  printf '%s' "$1" | node -e '
    const value = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    console.log(String(new Function("value", `return value${process.argv[1]}`)(value)));' "$2"
}

# The container's log.
log_has() { docker logs "$container" 2>&1 | grep "\"event\":\"$1\"" >/dev/null; }
log_field() { field "$(docker logs "$container" 2>&1 | grep "\"event\":\"$1\"" | head -n 1)" "$2"; }

# The body of the demo's first question with its 37 tools. turn [FIELDS]: more fields, as JSON without braces
turn() {
  node --input-type=module -e '
    import { questions, tools } from "./dist/benchmark/scenarios/index.js";
    const more = JSON.parse(`{${process.argv[1] ?? ""}}`);
    process.stdout.write(JSON.stringify({ model: "gpt-5-mini", input: questions[0].question, tools, ...more }));' -- "${1:-}"
}

# Sends a turn through Toolroll; the answer is left in $answer, its headers in $work/headers.
ask() {
  answer=$(curl -s -D "$work/headers" -H 'content-type: application/json' --data-binary "$1" "$proxy/v1/responses")
}
header() { tr -d '\r' <"$work/headers" | sed -n "s/^$1: //Ip"; }
calls() { field "$answer" '.output.filter((item) => item.type === "function_call").map((item) => item.name).join("\n")'; }

# status_is CONDITION: of the control API's status, as in `.faults.length === 0`; joined by && from field to field
status_is() {
  local status
  status=$(curl -fs "$control/api/status") || return 1
  [ "$(printf '%s' "$status" | node -e '
    const value = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const condition = process.argv[1].replace(/(^|&& )\./g, "$1value.");
    console.log(new Function("value", `return ${condition}`)(value));' "$1")" = true ]
}

metric() { curl -s "$control/metrics" | sed -n "s/^$1 //p"; }

# Writes one rule the way the kubelet writes a ConfigMap: a new folder, then one rename of `..data`.
# write_rules FOLDER RULE
write_rules() {
  local folder=..$1
  mkdir "$rules/$folder"
  cat >"$rules/$folder/default.yaml" <<RULES
apiVersion: toolroll.dev/v1alpha1
kind: RuleSet
metadata: { name: default }
spec:
  tools:
    - $2
  selection: { strategy: two_hop }
RULES
  chmod -R a+rX "$rules"
  ln -s "$folder" "$rules/..data_tmp"
  mv -T "$rules/..data_tmp" "$rules/..data"
  [ -L "$rules/default.yaml" ] || ln -s ..data/default.yaml "$rules/default.yaml"
}
