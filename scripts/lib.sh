# Shared by the scripts in this folder; sourced, never run.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cache="${SEEDFALL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/seedfall}"
jobs="${SEEDFALL_JOBS:-$(nproc)}"
started=$SECONDS

# Toolchains that their installers put beside the usual PATH; shells of CI jobs often lack them.
# rustup's goes first: behind Debian's rustc, which is for one example, it would not be found.
for extra in "${CARGO_HOME:-$HOME/.cargo}/bin" /usr/local/go/bin; do
  if [[ -d "$extra" && ":$PATH:" != *":$extra:"* ]]; then PATH="$extra:$PATH"; fi
done
export PATH

# Two clones of the same sources share compiler results: ccache sees paths relative to the clone.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# at_least HAVE WANT: version HAVE is WANT or newer.
at_least() { [[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" == "$2" ]]; }

# watched LABEL LOG COUNTER COMMAND...: runs COMMAND with its output in LOG. Every 15 s it prints
# LABEL, the time so far and what `COUNTER LOG` says. A failure shows the end of LOG and returns 1.
watched() {
  local label="$1" log="$2" counter="$3" begin=$SECONDS pid rc=0 ticks=0
  shift 3
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 9>&- &
  pid=$!
  trap 'kill "$pid" 2>/dev/null || true; exit 130' INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    ticks=$((ticks + 1))
    if ((ticks % 75 == 0)); then say "$label … $((SECONDS - begin)) s, $("$counter" "$log")"; fi
  done
  wait "$pid" || rc=$?
  trap - INT TERM
  if ((rc != 0)); then
    say "$label failed (exit $rc); the end of ${log#"$root"/}:"
    relevant "$log" >&2
    return 1
  fi
  say "$label: $((SECONDS - begin)) s"
}

# From the first failed command on, if the build tool marked one; else the last lines.
relevant() {
  if grep -q '^FAILED: ' "$1"; then
    sed -n '/^FAILED: /,$p' "$1" | head -n 80
  else
    tail -n 40 "$1"
  fi
}

ninja_count() { grep -o '^\[[0-9]*/[0-9]*\]' "$1" | tail -n 1 || true; }
