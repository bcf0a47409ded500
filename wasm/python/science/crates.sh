#!/usr/bin/env bash
# The crates that rust/Cargo.lock names, whose digests are in it, as sources in $OUT.
. "$RECIPE/science/rust.inc.sh"
cd "$SRC/rust"
cargo vendor --quiet --locked --versioned-dirs "$OUT/crates" >/dev/null
