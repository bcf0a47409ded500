#!/usr/bin/env bash
# The guest's crates, compiled: what Cargo leaves of them, in $WORK/out/target.
. "$RECIPE/build/cargo.sh"
cp -R "$RECIPE/guest" "$WORK/guest"
rm -r "$WORK/guest/src"
mkdir "$WORK/guest/src"
: >"$WORK/guest/src/lib.rs"
guest build --quiet --release --target "$TARGET"
rm -rf "$WORK"/target/"$TARGET"/release/{deps/*wasmbox_shell*,.fingerprint/wasmbox-shell-*,*wasmbox_shell*}
mv "$WORK/target" "$OUT/target"
