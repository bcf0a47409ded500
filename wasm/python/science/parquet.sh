#!/usr/bin/env bash
# fastparquet, by which pandas reads and writes Parquet, and fsspec, with $NUMPY: what numpy.sh made.
. "$RECIPE/science/toolchain.sh"
export OPTIMISATION=-O2
unpack fastparquet
cd "$SRC/fastparquet"
for name in cencoding speedups; do
  function=PyInit_fastparquet__$name
  wcc -w "-I$NUMPY/headers" "-DPyInit_$name=$function" -c "fastparquet/$name.c" -o "$OUT/objects/fastparquet-$name.o"
  echo "fastparquet.$name $function" >>"$OUT/modules"
done
describe fastparquet LICENSE
cp -r fastparquet "$OUT/python/fastparquet"
find "$OUT/python/fastparquet" -name '*.c' -delete -o -name '*.pyx' -delete
python3.13 -m zipfile -e "$SOURCES"/fsspec-*.whl "$OUT/python/fsspec"
cp "$OUT"/python/fsspec/*.dist-info/licenses/LICENSE "$OUT/licences/fsspec"
