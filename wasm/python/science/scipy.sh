#!/usr/bin/env bash
# scipy, by its own build system, with $NUMPY: what numpy.sh made, and $LAPACK: what lapack.sh made. Without
# scipy.odr, which is in Fortran.
. "$RECIPE/science/toolchain.sh"
unpack scipy
cd "$SRC/scipy"

# What runs while it is built is for this machine: a newer Cython than the others are built with, and numpy for f2py, which
# writes C; its headers are those of ours.
BUILDING=$WORK/building
for wheel in cython numpy pybind11; do python3.13 -m zipfile -e "$SOURCES/$wheel"-*.whl "$BUILDING"; done
rm -r "$BUILDING/numpy/_core/include"
cp -r "$NUMPY/headers" "$BUILDING/numpy/_core/include"
mkdir "$WORK/bin"
# Not from the directory they are called in: scipy has a module "signal" as the standard library has.
for program in "cython cython" "f2py numpy.f2py"; do
  set -- $program
  printf '#!/bin/sh\nPYTHONPATH=%s exec python3.13 -P -m %s "$@"\n' "$BUILDING" "$2" >"$WORK/bin/$1"
done
# The libraries that it asks for, as pkg-config would tell of them: what is linked is known here.
cat >"$WORK/bin/pkg-config" <<PROGRAM
#!/bin/sh
for name; do :; done
case \$name in
  --version) echo 1.8.0; exit ;;
  numpy) version=2.2.6 flags=-I$BUILDING/numpy/_core/include ;;
  pybind11) version=2.13.6 flags=-I$BUILDING/pybind11/include ;;
  reference) version=3.12.1 flags=-DBLAS_SYMBOL_PREFIX=scipy_ ;;
  *) exit 1 ;;
esac
case " \$*" in
  *' --modversion '*) echo \$version ;;
  *' --cflags '*) echo \$flags ;;
  *) echo ;;
esac
PROGRAM
chmod +x "$WORK"/bin/*
export PATH="$WORK/bin:$PATH" PYTHONPATH=$BUILDING
sed "/^ninja/a pkg-config = '$WORK/bin/pkg-config'" "$SCIENCE/cross.ini" >"$WORK/cross.ini"
echo "numpy-include-dir = '$BUILDING/numpy/_core/include'" >>"$WORK/cross.ini"

# For size, of which it has much. What jumps (qhull, callbacks) needs exceptions for that; directions of rounding, which
# there are none of here, are named by what only tests have. Numbers of 128 bits, which are computed by software, are
# no gain for what is to have 53.
export OPTIMISATION=-Os EXTRA_FLAGS="-w -DFE_UPWARD=2 -DFE_DOWNWARD=3 -mllvm -wasm-enable-sjlj"
export CXXFLAGS_OF_STEP="-fno-threadsafe-statics -fwasm-exceptions -fvisibility=hidden
  -DDUCC0_NO_LOWLEVEL_THREADING -DBOOST_MATH_NO_LONG_DOUBLE_MATH_FUNCTIONS -include $SCIENCE/scipy.h"
# Modules that would each have a library of their own have copies of the same functions: by names of each, or as one where
# they share a variable.
export RENAMES=$WORK/renames
mkdir "$RENAMES"
rename() {
  local module=$1 name
  shift
  for name; do echo "#define $name ${module}_$name"; done >>"$RENAMES/$module.h"
}
echo '#pragma weak wrap_PyUFunc_getfperr' >"$RENAMES/all.h"
EXTRA_FLAGS+=" -include $RENAMES/all.h"
for module in rcont _biasedurn; do
  rename $module logfactorial random_{interval,normal,standard_normal,standard_uniform}
done
# What f2py writes knows no prefix.
for module in _fblas _flapack; do
  {
    printf '#pragma weak %s\n' _npy_f2py_ARRAY_API{,PyArray_RUNTIME_VERSION}
    cat "$LAPACK/include/names.h"
  } >"$RENAMES/$module.h"
done
meson setup build --cross-file "$WORK/cross.ini" -Dbuildtype=plain -Dblas=reference -Dlapack=reference \
  -Duse-g77-abi=true -Duse-pythran=false -D_without-fortran=true
# Not what has only tests, nor libraries of their own (HiGHS would be compiled twice).
ninja -C build -t targets all | sed -n 's|^\(scipy/.*cpython-.*[.]so\): .*|\1|p' | grep -v '/_test_' |
  xargs ninja -C build -j"$JOBS" --quiet
python3.13 "$SCIENCE/collect.py" "$SRC/scipy/build" "$OUT"
cp "$LAPACK/lib/liblapack.a" "$OUT/objects"
# A function of one file there has a name of LAPACK's, and the index of the archive tells of it as if others could call it.
cd "$OUT/objects"
"$AR" x ./*-libarnaud.a && rm ./*-libarnaud.a
EXTRA_FLAGS= wcc -Wall -c "$SCIENCE/scipy.c" -o scipy.o
cd "$SRC/scipy"

describe scipy LICENSE.txt
# Of what it has taken in, LICENSES_bundled.txt names where the licences lie.
{
  cat LICENSES_bundled.txt
  find scipy subprojects -type f -regextype egrep -iregex '.*/(copying|licen[cs]e|[a-z]+_license)[^/]*' ! -name '*.yml' |
    LC_ALL=C sort | while read -r path; do printf '\n---- %s\n\n' "$path" && cat "$path"; done
} >>"$OUT/licences/scipy"

python3.13 "$SCIENCE/scipy_files.py" build "$OUT"
