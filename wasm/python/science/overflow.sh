#!/usr/bin/env bash
# A module by which numpy's integers of 32 bits warn when they run over, with $NUMPY: what numpy.sh made.
. "$RECIPE/science/toolchain.sh"
wcc -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Wno-macro-redefined -DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION \
  -I"$NUMPY/headers" -c "$SCIENCE/overflow.c" -o "$OUT/objects/overflow.o"
echo "numpy._core._overflow PyInit_numpy___core___overflow" >>"$OUT/modules"
