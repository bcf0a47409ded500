#!/usr/bin/env bash
# QuickJS-ng from $SOURCES/quickjs_ng-*.tar.gz, with the host's door to it, as $WORK/out/quickjs.wasm.
#   ENGINE  this folder
. "$RECIPE/build/toolchain.sh"

SRC=$WORK/src
mkdir -p "$SRC"
tar xf "$SOURCES"/quickjs_ng-*.tar.gz -C "$SRC" --strip-components=1
SRC=$SRC/upstream-quickjs
for patch in "$ENGINE"/patches/*.patch; do patch -s -p1 -d "$SRC" <"$patch"; done

flags="$OPTIMISE -std=gnu11 -D_GNU_SOURCE -DNDEBUG -I$SRC"
objects=()
for name in dtoa libregexp libunicode; do
  $CC $flags -c "$SRC/$name.c" -o "$WORK/$name.o" &
  objects+=("$WORK/$name.o")
done
$CC $flags -c "$ENGINE/engine.c" -o "$WORK/engine.o"
wait

# --stack-first: an overflow of the C stack runs off the start of memory and traps, instead of overwriting data.
# --fatal-warnings: a call whose types do not match is a warning to the linker, and a trap when it is made.
$CC -mexec-model=reactor -z stack-size=3407872 -Wl,--stack-first -Wl,--import-memory -Wl,--initial-memory=16777216 \
  -Wl,--max-memory=2147483648 -Wl,--fatal-warnings -Wl,--export=malloc -Wl,--export=free -Wl,--strip-all \
  -o "$OUT/quickjs.wasm" "$WORK/engine.o" "${objects[@]}" -lm
mkdir -p "$OUT/licences"
# Its files say it themselves, for different people.
for name in quickjs dtoa libregexp libunicode; do
  echo "$name.c"
  sed '/\*\//q' "$SRC/$name.c"
done >"$OUT/licences/quickjs-ng"
