#!/usr/bin/env bash
# The glue, compiled and linked with CPython's libraries ($LIBPYTHON: what libpython.sh made) into $WORK/out/python.wasm.
# $PACKAGES, if set, is a directory of extension modules, a folder for each package, as the steps of science leave them;
# $TOOLS has C++'s library for them.
. "$RECIPE/build/toolchain.sh"

INCLUDES="-I$LIBPYTHON/include -I$LIBPYTHON/include/internal -I$LIBPYTHON/include/_hacl -I$LIBPYTHON/include/_hacl/include"
sources=("$RECIPE"/glue/*.c)
inputs=() more=() memory=16777216
if [ -n "${PACKAGES:-}" ]; then
  python3.13 "$RECIPE/science/inittab.py" "$PACKAGES"/*/modules >"$WORK/science.c"
  sources+=("$WORK/science.c")
  printf '%s\n' "$PACKAGES"/*/objects/* >"$WORK/objects"
  inputs=("@$WORK/objects" "$TOOLS/lib/libcxxeh.a")
  more=("-L$TOOLS/sysroot/lib/$TARGET" -lc++ -lc++abi -lsetjmp -lc-printscan-long-double -lwasi-emulated-mman)
  memory=33554432
fi
objects=()
for source in "${sources[@]}"; do
  object=$WORK/$(basename "$source" .c).o
  $CC $OPTIMISE -DNDEBUG -DSANDBOX_POLL -std=c11 -Wall -Wextra -Werror=implicit-function-declaration \
    -Wno-unused-parameter $INCLUDES -c "$source" -o "$object"
  objects+=("$object")
done

# Functions that errors.c, databases.c, paths.c and times.c have as __wrap_NAME.
for name in fcntl wcsftime PyErr_SetFromErrno{,WithFilename,WithFilenameObject,WithFilenameObjects} _PyIO_trap_eintr \
  __wasilibc_find_relpath{,_alloc} chdir; do
  WRAPPED+=" -Wl,--wrap=$name"
done

# --stack-first: an overflow of the C stack runs off the start of memory and traps, instead of overwriting data.
# __stack_pointer is the only state of an instance that is neither in its memory nor with the host: images need it.
# import-instr-limit: only small functions are inlined across files; with the default of 100 it is a quarter larger, and
# no faster.
# --fatal-warnings: a call whose types do not match is a warning to the linker, and a trap when it is made.
libraries=("$LIBPYTHON"/lib/lib{mpdec,expat,Hacl*,z,bz2,lzma,sqlite3,posix,ctypes,ffi}*.a)
$CC -mexec-model=reactor -z stack-size=8388608 -Wl,--stack-first -Wl,--initial-memory=$memory -Wl,--fatal-warnings \
  -Wl,--export=malloc -Wl,--export=free -Wl,--export=__stack_pointer \
  -Wl,--lto-O3 -Wl,-mllvm,-import-instr-limit=8 "-Wl,--thinlto-jobs=$JOBS" \
  -Wl,--strip-debug -Wl,--compress-relocations $WRAPPED -o "$OUT/python.wasm" \
  "${objects[@]}" "${inputs[@]}" "$LIBPYTHON/lib/libpython3.13.a" "${libraries[@]}" "${more[@]}" \
  -ldl -lwasi-emulated-signal -lwasi-emulated-getpid -lwasi-emulated-process-clocks -lm
