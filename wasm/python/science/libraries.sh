#!/usr/bin/env bash
# C libraries that Pillow and matplotlib stand on, from Debian's sources: $OUT/{lib/*.a,include}.
# $CPYTHON_SOURCES has the sources of CPython's own libraries.
. "$RECIPE/science/toolchain.sh"
rm -rf "$OUT"/{objects,modules,python,data}
mkdir -p "$OUT"/{lib,include}
export OPTIMISATION=-O2
# setjmp and longjmp, by which these libraries leave what fails, are made of exceptions.
JUMPS="-mllvm -wasm-enable-sjlj"

# library NAME FLAGS FILES…: the C files into $OUT/lib/libNAME.a.
library() {
  local name=$1 flags=$2
  shift 2
  mkdir -p "$WORK/obj/$name"
  printf '%s\n' "$@" |
    xargs -P "$JOBS" -I{} sh -c 'wcc -w '"$flags"' -c {} -o '"$WORK/obj/$name"'/$(echo {} | tr / _).o'
  "$AR" rcsD "$OUT/lib/lib$name.a" "$WORK/obj/$name"/*.o
}

# Debian's patches of a source that are for its security.
secure() {
  local patch
  mkdir -p "$WORK/debian/$1"
  tar xf "$SOURCES/$1"_*.debian.tar.?z -C "$WORK/debian/$1"
  for patch in $(grep -iE 'cve|sec' "$WORK/debian/$1/debian/patches/series" || true); do
    patch -d "$SRC/$1" -p1 --quiet --forward <"$WORK/debian/$1/debian/patches/$patch"
  done
}

build_freetype() {
  unpack freetype
  secure freetype
  cd "$SRC/freetype"
  library freetype "-DFT2_BUILD_LIBRARY -DFT_CONFIG_OPTION_SYSTEM_ZLIB -Iinclude -I$OUT/include $JUMPS" \
    src/base/ft{base,bbox,bdf,bitmap,cid,fstype,gasp,glyph,gxval,init,mm,otval,patent,pfr,stroke,synth,type1,winfnt,system,debug}.c \
    src/{autofit/autofit,bdf/bdf,cff/cff,cid/type1cid,gzip/ftgzip,lzw/ftlzw,pcf/pcf,pfr/pfr,psaux/psaux,pshinter/pshinter}.c \
    src/{psnames/psnames,raster/raster,sdf/sdf,sfnt/sfnt,smooth/smooth,svg/svg,truetype/truetype,type1/type1,type42/type42,winfonts/winfnt}.c
  cp -r include/. "$OUT/include"
  cp docs/FTL.TXT "$OUT/licences/freetype" 2>/dev/null || cp LICENSE.TXT "$OUT/licences/freetype"
}

build_jpeg() {
  unpack libjpeg-turbo
  secure libjpeg-turbo
  cd "$SRC/libjpeg-turbo"
  cat >jconfig.h <<'END'
#define JPEG_LIB_VERSION 62
#define LIBJPEG_TURBO_VERSION 2.1.5
#define LIBJPEG_TURBO_VERSION_NUMBER 2001005
#define C_ARITH_CODING_SUPPORTED 1
#define D_ARITH_CODING_SUPPORTED 1
#define MEM_SRCDST_SUPPORTED 1
#define BITS_IN_JSAMPLE 8
END
  cat >jconfigint.h <<'END'
#define BUILD ""
#define INLINE __inline__ __attribute__((always_inline))
#define HIDDEN
#define THREAD_LOCAL
#define PACKAGE_NAME "libjpeg-turbo"
#define VERSION "2.1.5"
#define SIZEOF_SIZE_T 4
#define FALLTHROUGH __attribute__((fallthrough));
END
  sed s/@COPYRIGHT_YEAR@/2023/ jversion.h.in >jversion.h
  library jpeg "-I. $JUMPS" \
    jc{apimin,apistd,coefct,color,dctmgr,huff,icc,init,mainct,marker,master,omapi,param,phuff,prepct,sample,trans,arith}.c \
    jd{apimin,apistd,atadst,atasrc,coefct,color,dctmgr,huff,icc,input,mainct,marker,master,merge,phuff,postct,sample,trans,arith}.c \
    jerror.c jfdct{flt,fst,int}.c jidct{flt,fst,int,red}.c jquant{1,2}.c jutils.c jmemmgr.c jmemnobs.c jaricom.c jsimd_none.c
  cp j{peglib,morecfg,error,config}.h "$OUT/include"
  cp LICENSE.md "$OUT/licences/libjpeg-turbo"
}

build_webp() {
  unpack libwebp
  secure libwebp
  cd "$SRC/libwebp"
  library webp "-I. -Isrc -DWEBP_DISABLE_STATS" src/{dec,demux,dsp,enc,mux,utils}/*.c sharpyuv/*.c
  cp -r src/webp "$OUT/include"
  cp COPYING "$OUT/licences/libwebp"
}

build_qhull() {
  unpack qhull
  cd "$SRC/qhull"
  library qhull "$JUMPS" src/libqhull_r/*.c
  cp -r src/libqhull_r "$OUT/include"
  cp COPYING.txt "$OUT/licences/qhull"
}

# zlib itself is among CPython's libraries.
tar xf "$CPYTHON_SOURCES"/zlib_*.orig.tar.?z -C "$OUT/include" --strip-components=1 --wildcards '*/zlib.h' '*/zconf.h'
build_freetype
build_jpeg
build_webp
build_qhull
