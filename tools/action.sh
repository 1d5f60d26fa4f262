#!/usr/bin/env bash
# What action.yml runs in the workspace; the inputs are in its environment. The repository there is not trusted: no
# file of it is run, and what is printed about it cannot give the runner commands: annotations are escaped, all
# else is shown while the runner listens to none. (No `set -u`: the bash of macOS takes empty arrays for unset.)
set -eo pipefail

folder=$(dirname "$(dirname "$(dirname "$PYTHON")")")   # that of the virtual environment, outside the workspace
export MMCODEMOD_CACHE_DIR=$folder/cache

mmcodemod() { "$PYTHON" -I -m mmcodemod "$@"; }

# Prints a file; the runner reads no command in it.
show() {
  local token
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '::stop-commands::%s\n' "$token"
  cat -- "$1"
  printf '\n::%s::\n' "$token"
}

finish() {
  echo "exit-code=$1" >>"$GITHUB_OUTPUT"
  exit "$1"
}

# A check whose report goes to file $2 in format $1. The answer of the first one is kept, so others are quick.
check() {
  local status=0
  rm -f -- "$2"   # what the repository may have put there, a link for example
  mmcodemod check "${strict[@]}" "${options[@]}" --format "$1" --output "$2" -- "${paths[@]}" 2>"$folder/errors" || status=$?
  if [ "$status" -gt 1 ]; then
    show "$folder/errors"
    if [ -e "$folder/annotations" ]; then cat "$folder/annotations"; fi
    rm -f -- "$2"   # a report of nothing would say that all is mended
    finish 2
  fi
  return "$status"
}

# Are both ends of the pull request here, with the commit where they parted?
history() {
  git merge-base "$BASE" "$HEAD" >/dev/null 2>&1 && return
  local deeper=()
  if [ "$(git rev-parse --is-shallow-repository)" = true ]; then deeper=(--unshallow); fi
  git fetch --quiet --no-tags --no-recurse-submodules "${deeper[@]}" origin "$BASE" "refs/pull/$NUMBER/head" || return
  git merge-base "$BASE" "$HEAD" >/dev/null 2>&1
}

# Tells what the pull request brings: in comments where the token may write, and in the summary.
review() {
  local status=0 post=() where=.
  if [ "${#paths[@]}" = 1 ]; then where=${paths[0]}; fi
  if [ "$HEAD_REPOSITORY" = "$GITHUB_REPOSITORY" ] && [ -n "$GITHUB_TOKEN" ]; then
    post=(--pr "$NUMBER" --forge github)
  fi
  mmcodemod review "${strict[@]}" "${options[@]}" --base "$BASE" --head "$HEAD" "${post[@]}" -- "$where" \
    >"$folder/review" 2>&1 || status=$?
  show "$folder/review"
  { echo '## mmcodemod'; echo; head -c 900000 "$folder/review" | sed 's/^/    /'; } >>"$GITHUB_STEP_SUMMARY"
  if [ "${#post[@]}" = 0 ]; then
    mmcodemod review "${strict[@]}" "${options[@]}" --base "$BASE" --head "$HEAD" --format github -- "$where" \
      2>/dev/null || true
  fi
  if [ -n "$SARIF" ]; then check sarif "$SARIF" || true; fi
  finish "$status"
}

# The annotations first: they say why when nothing could be checked.
reports() {
  local status=0
  check github "$folder/annotations" || status=$?
  if [ -n "$SARIF" ]; then check sarif "$SARIF" || true; fi
  return "$status"
}

read -r -d '' -a options <<<"$ARGS" || true
if [ -n "$FAIL_ON" ]; then options+=(--fail-on "$FAIL_ON"); fi
strict=()
if [ "$STRICT" = true ]; then strict=(--strict); fi
paths=()
while IFS= read -r path; do
  if [ -n "$path" ]; then paths+=("$path"); fi
done <<<"$PATHS"

if [ "$COMMENT" = true ] && [ -n "$NUMBER" ]; then
  if history; then review; fi
  echo "::warning title=mmcodemod::The history of the pull request is not here: check out with fetch-depth 0."
fi
status=0
reports || status=$?
cat "$folder/annotations"
check markdown "$folder/summary" || true
cat "$folder/summary" >>"$GITHUB_STEP_SUMMARY"
finish "$status"
