#!/usr/bin/env bash
# The glue, compiled and linked with CPython's libraries ($LIBPYTHON: what libpython.sh made) into $WORK/out/python.wasm.
. "$RECIPE/build/toolchain.sh"

INCLUDES="-I$LIBPYTHON/include -I$LIBPYTHON/include/internal -I$LIBPYTHON/include/_hacl -I$LIBPYTHON/include/_hacl/include"
objects=()
for source in "$RECIPE"/glue/*.c; do
  object=$WORK/$(basename "$source" .c).o
  $CC $OPTIMISE -DNDEBUG -DSANDBOX_POLL -std=c11 -Wall -Wextra -Werror=implicit-function-declaration \
    -Wno-unused-parameter $INCLUDES -c "$source" -o "$object"
  objects+=("$object")
done

# --stack-first: an overflow of the C stack runs off the start of memory and traps, instead of overwriting data.
# __stack_pointer is the only state of an instance that is neither in its memory nor with the host: images need it.
libraries=("$LIBPYTHON"/lib/lib{mpdec,expat,Hacl*,z,bz2,lzma,sqlite3,posix,ctypes,ffi}*.a)
$CC -mexec-model=reactor -z stack-size=8388608 -Wl,--stack-first -Wl,--initial-memory=16777216 \
  -Wl,--export=malloc -Wl,--export=free -Wl,--export=__stack_pointer \
  -Wl,--strip-debug -Wl,--compress-relocations $WRAPPED -o "$OUT/python.wasm" \
  "${objects[@]}" "$LIBPYTHON/lib/libpython3.13.a" "${libraries[@]}" \
  -ldl -lwasi-emulated-signal -lwasi-emulated-getpid -lwasi-emulated-process-clocks -lm
