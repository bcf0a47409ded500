#!/usr/bin/env bash
# pandas, by its own build system, with the headers of $NUMPY: what numpy.sh made.
. "$RECIPE/science/toolchain.sh"
unpack pandas
cd "$SRC/pandas"

# The build asks the Python that it runs on for numpy's headers, and Cython looks for numpy's declarations.
mkdir -p "$WORK/numpy"
cp -r "$NUMPY/python/numpy/numpy" "$WORK/numpy"
find "$WORK/numpy" -name '*.py' -delete
printf 'def get_include(): return "%s"\n' "$NUMPY/headers" >"$WORK/numpy/numpy/__init__.py"
# It takes its version from git, where that is not written down.
printf 'from _version_meson import __version__\ndef get_version(): return __version__\n' >"$WORK/numpy/versioneer.py"
export PYTHONPATH="$WORK/numpy:$SRC/pandas:$PYTHONPATH"

export OPTIMISATION=-O2 CXXFLAGS_OF_STEP="-fno-threadsafe-statics -fwasm-exceptions" EXTRA_FLAGS=-w
# What it has copied from numpy, by other names; what macros have the name of too is in a patch.
for name in is_leapyear add_minutes_to_datetimestruct get_datetimestruct_days; do
  EXTRA_FLAGS+=" -D$name=pandas_$name"
done
meson setup build --cross-file "$SCIENCE/cross.ini" -Dbuildtype=plain
ninja -C build -j"$JOBS" --quiet
python3.13 "$SCIENCE/collect.py" build "$OUT"

describe pandas LICENSE
cp -r pandas "$OUT/python/pandas"
cp _version_meson.py "$OUT/python/pandas/pandas"
find "$OUT/python/pandas/pandas" \( -name meson.build -o -name '*.py[xi]*' -o -name '*.[ch]' -o -name '*.in' \) -delete
