#!/usr/bin/env bash
# Pillow, with $LIBRARIES and $FORMATS: what libraries.sh and formats.sh made.
. "$RECIPE/science/toolchain.sh"
unpack pillow
cd "$SRC/pillow/src"
sed -n 's/^__version__ = \("[^"]*"\)/#define PILLOW_VERSION \1/p' PIL/_version.py >version.h
FLAGS="-w -mllvm -wasm-enable-sjlj -DHAVE_LIBZ -DHAVE_LIBJPEG -I$LIBRARIES/include -IlibImaging -Ithirdparty"
FLAGS+=" -DHAVE_LIBTIFF -DHAVE_OPENJPEG -I$FORMATS/include -include version.h"
export OPTIMISATION=-O2

# module NAME FILES…: an extension module of the package PIL.
module() {
  local name=$1
  shift
  printf '%s\n' "$@" |
    xargs -P "$JOBS" -I{} sh -c "wcc $FLAGS -DPyInit_$name=PyInit_PIL__$name -c {} -o $OUT/objects/\$(echo {} | tr / _).o"
  echo "PIL.$name PyInit_PIL__$name" >>"$OUT/modules"
}

module _imaging {_imaging,decode,encode,map,display,outline,path}.c libImaging/*.c
module _imagingcms _imagingcms.c
module _imagingft _imagingft.c
module _imagingmath _imagingmath.c
module _imagingmorph _imagingmorph.c
# It has these of its own.
FLAGS+=" -DImagingSectionEnter=webp_section_enter -DImagingSectionLeave=webp_section_leave"
module _webp _webp.c
cp "$LIBRARIES"/lib/lib{freetype,jpeg,webp}.a "$FORMATS"/lib/*.a "$OUT/objects"
cd ..
describe pillow LICENSE
cp -r src/PIL "$OUT/python/pillow"
