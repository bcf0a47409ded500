#!/usr/bin/env bash
# pydantic, orjson, jiter, rpds and cramjam, with $CRATES: what crates.sh made.
. "$RECIPE/science/rust.inc.sh"

vendored "$CRATES/crates"
# What PyO3 would ask an interpreter, which can't be asked here.
cat >"$WORK/python.txt" <<'CONFIG'
implementation=CPython
version=3.13
shared=false
abi3=false
lib_name=python3.13
pointer_width=32
build_flags=
suppress_build_script_link_lines=true
CONFIG
export PYO3_CONFIG_FILE=$WORK/python.txt
# orjson's parser is C: with the flags of all the rest, whatever cargo calls the target.
printf '#!/bin/sh\nTARGET=%s exec wcc "$@"\n' "$TARGET" >"$WORK/bin/crate-cc"
chmod +x "$WORK/bin/crate-cc"
export CC_wasm32_wasip1=crate-cc AR_wasm32_wasip1=$AR CFLAGS_wasm32_wasip1=-w CRATE_CC_NO_DEFAULTS=1 OPTIMISATION=-O3
cd "$SRC/rust"
build_crate
# Its own code, and not what the archive has besides: functions that the interpreter has from C's libraries, and that
# would take their place in all of it.
mkdir "$WORK/members"
cd "$WORK/members"
"$AR" x "$CARGO_TARGET_DIR/$RUST_TARGET/release/libextensions.a"
cp extensions-*.o "$OUT/objects/extensions.o"
cp ./*-yyjson.o "$OUT/objects/yyjson.o"
cat >"$OUT/modules" <<'MODULES'
cramjam.cramjam PyInit_cramjam
jiter PyInit_jiter
orjson.orjson PyInit_orjson
pydantic_core._pydantic_core PyInit__pydantic_core
rpds PyInit_rpds
MODULES

cd "$SRC/rust"
cargo metadata --frozen --format-version 1 --filter-platform "$RUST_TARGET" >"$WORK/metadata.json"
python3.13 "$RUST_RECIPE/licences.py" "$WORK/metadata.json" "$RUST" "$WORK"
cp "$WORK/licences.txt" "$OUT/licences/crates"

for name in "pydantic_core LICENSE python" "orjson LICENSE-MIT pysrc" "cramjam LICENSE src" "jiter LICENSE" "rpds_py LICENSE"; do
  set -- $name
  cd "$SRC/$1"
  # The folder's name has no dashes in it: what follows one would be the version.
  tree=$OUT/python/${1//_/-}
  info=$tree/$1-$(sed -n 's/^Version: //p' PKG-INFO | head -n 1).dist-info
  mkdir -p "$info"
  cp PKG-INFO "$info/METADATA"
  cp "$2" "$OUT/licences/${1//_/-}"
  [ -z "${3:-}" ] || cp -r "$3/$1" "$tree"
done
# A newer typing_extensions than the suite has, which pydantic wants.
for name in annotated_types pydantic typing_extensions typing_inspection; do
  tree=$OUT/python/${name//_/-}
  python3.13 -m zipfile -e "$SOURCES/$name"-[0-9]*.whl "$tree"
  cp "$(find "$tree" -path '*.dist-info/*' -name 'LICENSE*' | head -n 1)" "$OUT/licences/${name//_/-}"
done
