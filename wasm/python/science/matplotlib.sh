#!/usr/bin/env bash
# matplotlib, contourpy and kiwisolver, with $LIBRARIES: what libraries.sh made, and $NUMPY: what numpy.sh made.
. "$RECIPE/science/toolchain.sh"
for source in matplotlib contourpy kiwisolver; do unpack $source; done
for wheel in pybind11 cppy; do
  python3.13 -m zipfile -e "$SOURCES/$wheel"-*.whl "$WORK/wheels"
done

export OPTIMISATION=-O2 CXXFLAGS_OF_STEP="-std=c++17 -fno-threadsafe-statics -fwasm-exceptions -fvisibility=hidden"
CXXFLAGS_OF_STEP+=" -w -Wno-c++11-narrowing -include $SCIENCE/threads.h"
INCLUDES="-I$WORK/wheels/pybind11/include -I$LIBRARIES/include -I$NUMPY/headers"

# module NAME FLAGS FILES…: an extension module in C++, by its dotted name.
module() {
  local name=$1 flags=$2 function=PyInit_${1//./__}
  shift 2
  printf '%s\n' "$@" |
    xargs -P "$JOBS" -I{} sh -c "wcxx $INCLUDES $flags -DPyInit_${name##*.}=$function -c {} \
      -o $OUT/objects/$name-\$(echo {} | tr / _).o"
  echo "$name $function" >>"$OUT/modules"
}

cd "$SRC/matplotlib"
AGG=extern/agg24-svn
module matplotlib.backends._backend_agg "-I$AGG/include" src/_backend_agg{,_wrapper}.cpp \
  $AGG/src/agg_{bezier_arc,curves,image_filters,trans_affine,vcgen_contour,vcgen_dash,vcgen_stroke,vpgen_segmentator}.cpp
module matplotlib._c_internal_utils "" src/_c_internal_utils.cpp
echo '#define FREETYPE_BUILD_TYPE "system"' >"$WORK/freetype.h"
module matplotlib.ft2font "-include $WORK/freetype.h" src/ft2font{,_wrapper}.cpp
module matplotlib._image "-I$AGG/include" src/_image_wrapper.cpp src/py_converters.cpp
module matplotlib._path "-I$AGG/include" src/_path_wrapper.cpp
module matplotlib._qhull '-DMPL_DEVNULL=/dev/null' src/_qhull_wrapper.cpp
module matplotlib._tri "" src/tri/_tri{,_wrapper}.cpp
cp "$LIBRARIES"/lib/lib{freetype,qhull}.a "$OUT/objects"

cd "$SRC/contourpy"
module contourpy._contourpy "-DCONTOURPY_VERSION=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' lib/contourpy/_version.py)" src/*.cpp
cd "$SRC/kiwisolver"
module kiwisolver._cext "-I. -I$WORK/wheels/cppy/include" py/src/*.cpp

cd "$SRC/contourpy"
describe contourpy LICENSE
cp -r lib/contourpy "$OUT/python/contourpy"
cd "$SRC/kiwisolver"
describe kiwisolver LICENSE
cp -r py/kiwisolver "$OUT/python/kiwisolver"

cd "$SRC/matplotlib"
describe matplotlib LICENSE/LICENSE
cp -r lib/{matplotlib,mpl_toolkits,pylab.py} "$OUT/python/matplotlib"
touch "$OUT/python/matplotlib/mpl_toolkits/__init__.py" # a zip has no packages without
version=$(sed -n 's/^Version: //p' PKG-INFO | head -n 1)
echo "version = __version__ = \"$version\"; version_tuple = __version_tuple__ = (${version//./, })" \
  >"$OUT/python/matplotlib/matplotlib/_version.py"
mkdir -p "$OUT/data/share/matplotlib"
mv "$OUT/python/matplotlib/matplotlib/mpl-data" "$OUT/data/share/matplotlib"
# What windows need, and samples.
rm -rf "$OUT"/data/share/matplotlib/mpl-data/{images,plot_directive,sample_data,fonts/{afm,pdfcorefonts}} \
  "$OUT"/python/matplotlib/matplotlib/backends/{qt_editor,web_backend}
find "$OUT/python" -name meson.build -delete

for name in cycler fonttools pyparsing seaborn; do
  python3.13 -m zipfile -e "$SOURCES/$name"-*.whl "$OUT/python/$name"
  cp "$(find "$OUT/python/$name" -path '*.dist-info/*' -name 'LICENSE*' | head -n 1)" "$OUT/licences/$name"
done
rm -rf "$OUT"/python/fonttools/fontTools/{merge,mtiLib,qu2cu,ufoLib,voltLib} "$OUT"/python/*/*.data
