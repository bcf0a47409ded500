#!/usr/bin/env bash
# scikit-learn, by its own build system, with the headers of $NUMPY: what numpy.sh made, and the declarations of scipy in
# $SCIPY_SOURCES; and what it needs that is in Python alone.
. "$RECIPE/science/toolchain.sh"
unpack scikit_learn
cd "$SRC/scikit_learn"

# What runs while it is built: a newer Cython than numpy is built with, and an older one than scipy is, by its own wish; and
# a newer meson.
BUILDING=$WORK/building
for wheel in cython meson; do python3.13 -m zipfile -e "$SOURCES/$wheel"-*.whl "$BUILDING"; done
mkdir -p "$WORK/bin" "$BUILDING/numpy"
printf '#!/bin/sh\nexec python3.13 -P -m cython "$@"\n' >"$WORK/bin/cython"
chmod +x "$WORK/bin/cython"
ln -s "$(command -v python3.13)" "$WORK/bin/python3" # as its scripts call it
export PATH="$WORK/bin:$PATH" PYTHONPATH=$BUILDING
# What Cython looks for: declarations of numpy's and scipy's functions.
(cd "$NUMPY/python/numpy/numpy" && find . -name '*.pxd' -exec cp --parents {} "$BUILDING/numpy" \;)
tar xf "$SCIPY_SOURCES"/scipy-*.tar.gz -C "$WORK" --wildcards '*/scipy/linalg/*' '*/scipy/special/*.pxd' '*/scipy/_build_utils/*'
SCIPY=$(echo "$WORK"/scipy-*/scipy)
mkdir -p "$BUILDING"/scipy/{linalg,special}
(cd "$SCIPY/linalg" && python3.13 _generate_pyx.py -o "$BUILDING/scipy/linalg")
cp "$SCIPY/special/cython_special.pxd" "$BUILDING/scipy/special"
rm -f "$BUILDING"/scipy/linalg/*.pyx
find "$BUILDING/numpy" "$BUILDING/scipy" -type d -exec touch {}/__init__.py \;
cp "$SCIENCE/cross.ini" "$WORK/cross.ini"
echo "numpy-include-dir = '$NUMPY/headers'" >>"$WORK/cross.ini"

export OPTIMISATION=-O2 EXTRA_FLAGS=-w
export CXXFLAGS_OF_STEP="-fno-threadsafe-statics -fwasm-exceptions -fvisibility=hidden"
# What several modules have a copy of by one name, or scipy has too: by names of each.
export RENAMES=$WORK/renames
mkdir "$RENAMES"
for module in _libsvm _libsvm_sparse _liblinear; do
  for name in copy_{intercept,nSV,n_iter,probA,probB,support,sv_coef} csr_set_problem free_{model,param,problem} get_{l,nr} \
    set_{parameter,problem,verbosity}; do
    echo "#define $name sklearn_${module}_$name"
  done >"$RENAMES/$module.h"
done
echo '#define __pyx_module_is_main__cyutility __pyx_module_is_main_sklearn__cyutility' >"$RENAMES/_cyutility.h"
python3.13 -P -m mesonbuild.mesonmain setup build --cross-file "$WORK/cross.ini" -Dbuildtype=plain
ninja -C build -j"$JOBS" --quiet
python3.13 "$SCIENCE/collect.py" build "$OUT"

describe scikit-learn COPYING
# By the name that is looked for: what stands behind a hyphen is a version.
for directory in "$OUT"/python/scikit-learn/*.dist-info; do mv "$directory" "${directory/scikit-learn-/scikit_learn-}"; done
# The modules, and what they read: data sets with their descriptions, and what goes into pages.
find sklearn \( -name tests -o -name _build_utils \) -prune -o -type f ! -name conftest.py \
  -regextype egrep -regex '.*[.](py|csv|gz|rst|css|js|jpg|txt)' -exec cp --parents {} "$OUT/python/scikit-learn" \;
find "$OUT/python/scikit-learn/sklearn" -type d -exec touch {}/__init__.py \; # a zip has no packages without
for name in joblib narwhals threadpoolctl; do
  python3.13 -m zipfile -e "$SOURCES/$name"-*.whl "$OUT/python/$name"
  cp "$(find "$OUT/python/$name" -path '*.dist-info/*' -iname 'LICENSE*' -type f | head -n 1)" "$OUT/licences/$name"
done
# Of what it has taken in.
for path in sklearn/svm/src/liblinear/COPYRIGHT sklearn/externals/array_api_{compat,extra}/LICENSE; do
  printf '\n---- %s\n\n' "$path" && cat "$path"
done >>"$OUT/licences/scikit-learn"
