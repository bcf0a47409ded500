#!/usr/bin/env bash
# Modules by which numpy's integers of 32 bits warn when they run over, and programs see indices of 64, with $NUMPY: what
# numpy.sh made.
. "$RECIPE/science/toolchain.sh"
for module in overflow indices; do
  wcc -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Wno-macro-redefined -DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION \
    -I"$NUMPY/headers" -c "$SCIENCE/$module.c" -o "$OUT/objects/$module.o"
  echo "numpy._core._$module PyInit_numpy___core___$module" >>"$OUT/modules"
done
