#!/usr/bin/env bash
# numpy, by its own build system. Also makes $OUT/headers, which pandas and matplotlib are compiled with.
. "$RECIPE/science/toolchain.sh"
unpack numpy
cd "$SRC/numpy"

# wasi-libc's fenv.h has no exceptions, since the hardware reports none; floating_point.c keeps them.
export EXTRA_FLAGS="-DNPY_NO_SIGNAL -DFE_INVALID=1 -DFE_DIVBYZERO=4 -DFE_OVERFLOW=8 -DFE_UNDERFLOW=16
  -Wno-unused-command-line-argument -Wno-macro-redefined"
mkdir -p "$WORK/include"
cp "$SCIENCE/floating_point.h" "$WORK/include"
EXTRA_FLAGS+=" -I$WORK/include"
export CXXFLAGS_OF_STEP="-fno-threadsafe-statics -fwasm-exceptions"
# RandomState's streams are those of old releases: its own versions of functions that the library has too.
mkdir -p "$WORK/renames"
grep -ohE '\b(random|legacy)_[a-z0-9_]+ *\(' numpy/random/include/*.h numpy/random/src/*/*.[ch] numpy/_core/include/numpy/random/*.h |
  tr -d ' (' | sort -u | sed 's/.*/#define & mtrand_&/' >"$WORK/renames/mtrand.h"
export RENAMES=$WORK/renames

meson setup build --cross-file "$SCIENCE/cross.ini" -Dbuildtype=release -Dallow-noblas=true -Dblas=none \
  -Dlapack=none -Ddisable-optimization=true -Ddisable-threading=true
ninja -C build -j"$JOBS" --quiet
DESTDIR=$WORK/installed meson install -C build --no-rebuild --quiet --tags runtime,python-runtime,devel

python3.13 "$SCIENCE/collect.py" "$SRC/numpy/build" "$OUT" --skip 'numpy/_core/_simd$|_tests$'
mkdir "$OUT/python/numpy"
cp -r "$(find "$WORK/installed" -path '*-packages/numpy' -type d)" "$OUT/python/numpy"
mv "$OUT/python/numpy/numpy/_core/include" "$OUT/headers"
rm -rf "$OUT"/python/numpy/numpy/{_pyinstaller,distutils,f2py}
EXTRA_FLAGS= wcc -Wall -Wextra -c "$SCIENCE/floating_point.c" -o "$OUT/objects/floating_point.o"
EXTRA_FLAGS= wcc -Wall -Wextra -c "$SCIENCE/blas/blas.c" -o "$OUT/objects/blas.o"
# The seed of its pivots is fixed, as programs are to run alike.
EXTRA_FLAGS= wcxx -w -std=c++17 -DHWY_COMPILE_ONLY_STATIC -DVQSORT_SECURE_SEED=0 \
  -Inumpy/_core/src/highway -c "$SCIENCE/sort.cpp" -o "$OUT/objects/sort.o"
describe numpy LICENSE.txt
