#!/usr/bin/env bash
# The shell ($RECIPE/guest) with its crates ($LIBRARIES: what libraries.sh made): $WORK/out/shell.wasm, and the licences of all
# that is in it.
. "$RECIPE/build/cargo.sh"
cp -R "$RECIPE/guest" "$WORK/guest"
cp -R "$LIBRARIES/target" "$WORK/target"
# Copies have the times of their copying: to Cargo what is older than what it was made from is to be made anew.
find "$WORK/target" -exec touch --date="@$(($(date +%s) + 1))" {} +
guest build --quiet --release --target "$TARGET"
cp "$WORK/target/$TARGET/release/wasmbox_shell.wasm" "$OUT/shell.wasm"

guest metadata --format-version 1 --filter-platform "$TARGET" >"$WORK/metadata.json"
python3.13 "$RUST_RECIPE/licences.py" "$WORK/metadata.json" "$RUST" "$OUT"
