# shellcheck shell=bash
# What the steps of the build have in common; sourced by them.
#
# Every step runs in the build root as `bash <step>.sh`, with
#   WORK    a directory of its own; what it makes goes to $WORK/out
#   RECIPE  this folder's parent (build/, patches/, glue/)
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC SOURCE_DATE_EPOCH=315532800

JOBS=$(nproc)
OUT=$WORK/out
SYSROOT=$WORK/sysroot
TARGET=wasm32-wasi
# Features that every engine of the last years has. SIMD brought nothing in measurements.
FEATURES="-mbulk-memory -mnontrapping-fptoint -msign-ext -mmutable-globals -mmultivalue"
# The directory of the build must not reach the binaries: the same recipe gives the same bytes anywhere.
OPTIMISE="-O3 $FEATURES -ffile-prefix-map=$WORK=/build"

# Functions of wasi-libc that lose the modes they are given, its stubs, and those that know UTC alone: posix.c and zone.c
# have them as __wrap_NAME.
WRAPPED=
for name in chmod fchmod fchmodat fstatvfs mkdir mkdirat open openat statvfs __secs_to_zone __tm_to_tzname; do
  WRAPPED+=" -Wl,--wrap=$name"
done

mkdir -p "$OUT" "$SYSROOT"/{include,lib}
ln -sfn "/usr/include/$TARGET" "$SYSROOT/include/$TARGET"
ln -sfn "/usr/lib/$TARGET" "$SYSROOT/lib/$TARGET"

NATIVE_CC="clang-19 -fuse-ld=lld"
CC="clang-19 --target=$TARGET --sysroot=$SYSROOT"
CPP="$CC -E"
CXX="clang++-19 --target=$TARGET --sysroot=$SYSROOT"
AR=llvm-ar-19
RANLIB=llvm-ranlib-19
NM=llvm-nm-19
LD=wasm-ld-19
STRIP=llvm-strip-19
