#!/usr/bin/env bash
# C libraries by which Pillow reads and writes compressed TIFF, JPEG 2000 and colour profiles, from Debian's sources:
# $OUT/{lib/*.a,include}. $LIBRARIES: what libraries.sh made.
. "$RECIPE/science/toolchain.sh"
rm -rf "$OUT"/{objects,modules,python,data}
mkdir -p "$OUT"/{lib,include}
export OPTIMISATION=-O2

# obtain NAME: a source of Debian's with all of its patches, to $SRC/NAME, where this goes.
obtain() {
  local name=$1 patch
  mkdir -p "$SRC/$name" "$WORK/debian/$name"
  tar xf "$SOURCES/$name"_*.orig.tar.* -C "$SRC/$name" --strip-components=1
  tar xf "$SOURCES/$name"_*.debian.tar.* -C "$WORK/debian/$name"
  cd "$SRC/$name"
  for patch in $(grep -v '^#' "$WORK/debian/$name/debian/patches/series"); do
    patch -p1 --quiet --forward <"$WORK/debian/$name/debian/patches/$patch"
  done
}

# library NAME FLAGS FILES…: the C files into $OUT/lib/libNAME.a.
library() {
  local name=$1 flags=$2
  shift 2
  mkdir -p "$WORK/obj/$name"
  printf '%s\n' "$@" |
    xargs -P "$JOBS" -I{} sh -c 'wcc -w '"$flags"' -c {} -o '"$WORK/obj/$name"'/$(echo {} | tr / _).o'
  "$AR" rcsD "$OUT/lib/lib$name.a" "$WORK/obj/$name"/*.o
}

# Headers that the libraries' own builds would write, of which Debian's are the same for all machines but for what is said
# otherwise here.
for deb in "$SOURCES"/*.deb; do dpkg-deb -x "$deb" "$WORK/dev"; done
find "$WORK/dev" -type f -name opj_config.h -exec cp {} "$OUT/include" \;
cp "$WORK"/dev/usr/include/*/tiffvers.h "$OUT/include"
sed -e '/JBIG_SUPPORT\|LERC_SUPPORT\|LIBDEFLATE_SUPPORT/d' -e 's/\(TIFF_SSIZE_T\) .*/\1 int32_t/' \
  "$WORK"/dev/usr/include/*/tiffconf.h >"$OUT/include/tiffconf.h"

build_tiff() {
  obtain tiff
  cat >libtiff/tif_config.h <<'END'
#include "tiffconf.h"
#define HAVE_ASSERT_H 1
#define HAVE_FCNTL_H 1
#define HAVE_FSEEKO 1
#define HAVE_STRINGS_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define CHUNKY_STRIP_READ_SUPPORT 1
#define DEFER_STRILE_LOAD 1
#define SIZEOF_SIZE_T 4
#define STRIP_SIZE_DEFAULT 8192
#define TIFF_MAX_DIR_COUNT 1048576
#define TIFF_SIZE_FORMAT "zu"
#define TIFF_SSIZE_FORMAT PRId32
#define WEBP_SUPPORT 1
END
  # What libjpeg leaves by longjmp is made of exceptions.
  library tiff "-Ilibtiff -I$OUT/include -I$LIBRARIES/include -mllvm -wasm-enable-sjlj" \
    libtiff/tif_{aux,close,codec,color,compress,dir,dirinfo,dirread,dirwrite,dumpmode,error,extension}.c \
    libtiff/tif_{fax3,fax3sm,flush,getimage,hash_set,jpeg,luv,lzw,next,ojpeg,open,packbits,pixarlog,predict}.c \
    libtiff/tif_{print,read,strip,swab,thunder,tile,unix,version,warning,webp,write,zip}.c
  cp libtiff/tiff{,io}.h "$OUT/include"
  cp LICENSE.md "$OUT/licences/libtiff"
}

build_openjpeg() {
  obtain openjpeg2
  cd src/lib/openjp2
  cat >opj_config_private.h <<'END'
#define OPJ_PACKAGE_VERSION "2.5.3"
#define OPJ_HAVE_FSEEKO
#define OPJ_HAVE_POSIX_MEMALIGN
END
  library openjp2 "-I. -I$OUT/include -DOPJ_STATIC -DMUTEX_stub" \
    {thread,bio,cio,dwt,event,ht_dec,image,invert,j2k,jp2,mct,mqc,openjpeg,opj_clock,pi,t1,t2,tcd,tgt}.c \
    {function_list,opj_malloc,sparse_array}.c
  cp openjpeg.h "$OUT/include"
  cp "$SRC/openjpeg2/LICENSE" "$OUT/licences/openjpeg"
}

build_lcms() {
  obtain lcms2
  library lcms2 "-Iinclude -DCMS_NO_PTHREADS -DHAVE_GMTIME_R" src/*.c
  cp include/*.h "$OUT/include"
  cp LICENSE "$OUT/licences/lcms2"
}

build_tiff
build_openjpeg
build_lcms
