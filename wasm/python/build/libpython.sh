#!/usr/bin/env bash
# CPython and the libraries it embeds, from Debian's source packages in $SOURCES, as static libraries for WASI.
#
# Makes $WORK/out/{lib/*.a,include/,Lib/,licences/}: everything that linking and the stdlib zip need.
. "$RECIPE/build/toolchain.sh"
export CC CPP CXX AR RANLIB NM LD STRIP

SRC=$WORK/src
DEPS=$WORK/deps
PYTHON_FLAGS="-DNDEBUG -DPy_BUILD_CORE_MODULE -I$SRC/python3.13/Include -I$SRC/python3.13/Include/internal -I$WORK/obj/python"
mkdir -p "$SRC" "$DEPS"/{lib,include} "$WORK"/{debian,obj}

# unpack PACKAGE PATCHES: the upstream source to $SRC/PACKAGE, with those of Debian's patches whose name matches.
# Debian keeps the upstream release through the life of a suite and adds security fixes as patches: those are wanted.
# Its other patches fit CPython into Debian's own layout and are not.
unpack() {
  local package=$1 wanted=$2 patch
  local series=$WORK/debian/$package/debian/patches/series
  mkdir -p "$SRC/$package" "$WORK/debian/$package"
  tar xf "$SOURCES/${package}"_*.orig.tar.?z -C "$SRC/$package" --strip-components=1
  tar xf "$SOURCES/${package}"_*.debian.tar.?z* -C "$WORK/debian/$package"
  [ -f "$series" ] || return 0
  while read -r patch; do
    if [[ -n $patch && $patch =~ $wanted ]]; then
      echo "== $package: $patch"
      patch -d "$SRC/$package" -p1 --quiet --forward <"$WORK/debian/$package/debian/patches/$patch"
    fi
  done <<<"$(sed -e 's/ *#.*//' "$series")"
}

# library NAME SOURCE_DIRECTORY FLAGS FILES…: compiles the files into $DEPS/lib/libNAME.a, or adds them to it.
library() {
  local name=$1 directory=$2 flags=$3 file
  shift 3
  mkdir -p "$WORK/obj/$name"
  printf '%s\n' "$@" |
    xargs -P "$JOBS" -I{} $CC $OPTIMISE $flags -c "$directory/{}.c" -o "$WORK/obj/$name/{}.o"
  for file in "$@"; do echo "$WORK/obj/$name/$file.o"; done | xargs "$AR" rcsD "$DEPS/lib/lib$name.a"
}

build_zlib() {
  unpack zlib '.'
  library z "$SRC/zlib" "" adler32 compress crc32 deflate infback inffast inflate inftrees trees uncompr zutil
  cp "$SRC"/zlib/{zlib,zconf}.h "$DEPS/include"
}

build_bzip2() {
  unpack bzip2 '^$'
  library bz2 "$SRC/bzip2" "-D_FILE_OFFSET_BITS=64" \
    blocksort huffman crctable randtable compress decompress bzlib
  cp "$SRC/bzip2/bzlib.h" "$DEPS/include"
}

# Without its configure, which CPython's had to wait for, and which found nothing but what lzma/config.h says.
build_xz() {
  local source=$SRC/xz-utils/src flags="-DHAVE_CONFIG_H -I$RECIPE/lzma -fvisibility=hidden" part
  unpack xz-utils '.'
  for part in common liblzma/{api,common,check,lz,rangecoder,lzma,delta,simple}; do flags+=" -I$source/$part"; done
  library lzma "$source/common" "$flags" tuklib_physmem
  library lzma "$source/liblzma/check" "$flags" check crc32_fast crc64_fast sha256
  library lzma "$source/liblzma/common" "$flags" alone_decoder alone_encoder auto_decoder block_buffer_decoder \
    block_buffer_encoder block_decoder block_encoder block_header_decoder block_header_encoder block_util common \
    easy_buffer_encoder easy_decoder_memusage easy_encoder easy_encoder_memusage easy_preset file_info \
    filter_buffer_decoder filter_buffer_encoder filter_common filter_decoder filter_encoder filter_flags_decoder \
    filter_flags_encoder hardware_physmem index index_decoder index_encoder index_hash lzip_decoder \
    microlzma_decoder microlzma_encoder stream_buffer_decoder stream_buffer_encoder stream_decoder stream_encoder \
    stream_flags_common stream_flags_decoder stream_flags_encoder string_conversion vli_decoder vli_encoder vli_size
  library lzma "$source/liblzma/delta" "$flags" delta_common delta_decoder delta_encoder
  library lzma "$source/liblzma/lz" "$flags" lz_decoder lz_encoder lz_encoder_mf
  library lzma "$source/liblzma/lzma" "$flags" fastpos_table lzma2_decoder lzma2_encoder lzma_decoder lzma_encoder \
    lzma_encoder_optimum_fast lzma_encoder_optimum_normal lzma_encoder_presets
  library lzma "$source/liblzma/rangecoder" "$flags" price_table
  library lzma "$source/liblzma/simple" "$flags" arm arm64 armthumb ia64 powerpc riscv simple_coder simple_decoder \
    simple_encoder sparc x86
  cp -r "$source/liblzma/api/." "$DEPS/include"
}

make_sqlite() {
  unpack sqlite3 '^[0-9]+-CVE-|NOT_NULL-IS_NULL'
  mkdir -p "$WORK/obj/sqlite"
  (
    cd "$WORK/obj/sqlite"
    # The amalgamation is made by native programs that the source tree brings along.
    env -u CXX -u CPP -u AR -u RANLIB -u NM -u LD -u STRIP CC="$NATIVE_CC" \
      "$SRC/sqlite3/configure" --disable-readline --disable-shared
    make -j"$JOBS" sqlite3.c sqlite3.h BCC="$NATIVE_CC"
  )
  cp "$WORK"/obj/sqlite/sqlite3.h "$DEPS/include"
}

# One file, which takes a core as long as half of CPython takes the other one.
compile_sqlite() {
  # No threads, locks, shared memory or dynamic loading in WASI.
  library sqlite3 "$WORK/obj/sqlite" "-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_OMIT_WAL
    -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_MATH_FUNCTIONS
    -DSQLITE_DEFAULT_UNIX_VFS=\"unix-none\" -D_WASI_EMULATED_GETPID" sqlite3
}

# The part of POSIX that wasi-libc has not; configure is told of its functions, since it finds none by linking.
build_posix() {
  library posix "$RECIPE/posix" "-I$RECIPE/posix/include -Wall -Wextra -Wno-unused-parameter -D_WASI_EMULATED_SIGNAL
    -D_WASI_EMULATED_GETPID" posix zone
}

# Names all that configure's answers depend on: the toolchain, sources, flags, and what is declared beyond wasi-libc.
configured_for() {
  {
    uname -m
    dpkg-query -W -f '${Package} ${Version}\n' clang-19 libclang-rt-19-dev-wasm32 wasi-libc python3.13
    basename -a "$SOURCES"/*.dsc
    cat "$RECIPE/build/toolchain.sh" "$RECIPE"/patches/*.patch "$RECIPE/posix/config.site"
    find "$RECIPE/posix/include" -type f | sort | xargs cat
  } | sha256sum | cut -d " " -f 1
}

configure_python() {
  local directory=$WORK/obj/python patch function known=
  # SQLite's library is still being compiled.
  for function in bind_double column_decltype column_double complete progress_handler result_double serialize \
    set_authorizer trace_v2 value_double; do
    export "ac_cv_lib_sqlite3_sqlite3_$function=yes"
  done
  export ac_cv_lib_sqlite3_sqlite3_load_extension=no
  for patch in "$RECIPE"/patches/*.patch; do patch -d "$SRC/python3.13" -p1 --quiet --forward <"$patch"; done
  # Some 600 small programs, which take a core a minute to compile and link, unless their answers are known.
  if grep -qx "# $(configured_for)" "$RECIPE/build/known.site"; then known=$RECIPE/build/known.site; fi
  mkdir -p "$directory"
  cd "$directory"
  # Called by its relative path, since the one it is called by goes into the binary.
  OPT="-DNDEBUG $OPTIMISE -DSANDBOX_POLL" CPPFLAGS="-I$RECIPE/posix/include -I$DEPS/include" \
    LDFLAGS="-L$DEPS/lib $WRAPPED" LIBS="-lposix" \
    ZLIB_CFLAGS="-I$DEPS/include" ZLIB_LIBS="-L$DEPS/lib -lz" \
    BZIP2_CFLAGS="-I$DEPS/include" BZIP2_LIBS="-L$DEPS/lib -lbz2" \
    LIBLZMA_CFLAGS="-I$DEPS/include" LIBLZMA_LIBS="-L$DEPS/lib -llzma" \
    LIBSQLITE3_CFLAGS="-I$DEPS/include" LIBSQLITE3_LIBS="-L$DEPS/lib -lsqlite3" \
    PKG_CONFIG_LIBDIR="$DEPS/lib/pkgconfig" PKG_CONFIG_PATH="" \
    CONFIG_SITE="$known $SRC/python3.13/Tools/wasm/config.site-wasm32-wasi $RECIPE/posix/config.site" \
    ../../src/python3.13/configure --host="$TARGET" --build="$(uname -m)-pc-linux-gnu" \
    --with-build-python=/usr/bin/python3.13 --prefix=/usr --with-pymalloc --disable-test-modules --without-ensurepip
}

# ctypes, on a libffi of our own: it needs headers of CPython as configured.
build_ctypes() {
  library ctypes "$SRC/python3.13/Modules/_ctypes" "$PYTHON_FLAGS -I$RECIPE/ctypes -DHAVE_FFI_PREP_CLOSURE_LOC=1
    -DPyLong_FromVoidPtr=ctypes_address -Wno-implicit-function-declaration" _ctypes callbacks callproc cfield stgdict
  library ffi "$RECIPE/ctypes" "$PYTHON_FLAGS -Wall -Wextra -Wno-unused-parameter" ffi
}

# A module that configure could not enable is only missing from the binary, without any error: look.
require_modules() {
  local module
  for module in zlib _bz2 _lzma _sqlite3 _decimal pyexpat unicodedata _sha2 _blake2 select; do
    grep -qE "\{\"$module\", PyInit_" Modules/config.c || {
      echo "error: CPython was configured without the module $module" >&2
      exit 1
    }
  done
}

collect() {
  local hacl
  mkdir -p "$OUT"/{lib,include,Lib,licences}
  hacl=$(find Modules/_hacl -name '*.a')
  mkdir -p "$OUT/include/_hacl"
  cp -r "$SRC"/python3.13/Modules/_hacl/{*.h,include,internal} "$OUT/include/_hacl"
  cp libpython3.13.a Modules/_decimal/libmpdec/libmpdec.a Modules/expat/libexpat.a $hacl "$OUT/lib"
  cp "$DEPS"/lib/lib{z,bz2,lzma,sqlite3,posix,ctypes,ffi}.a "$OUT/lib"
  cp -r "$SRC/python3.13/Include/." pyconfig.h "$RECIPE/posix/zone.h" "$OUT/include"
  cp -r "$SRC/python3.13/Lib/." "$OUT/Lib"
  rm -rf "$OUT"/Lib/{test,idlelib,tkinter,ensurepip}
  find "$OUT/Lib" -name __pycache__ -prune -exec rm -rf {} +
  sed "s#$WORK#/build#g" "$(cat pybuilddir.txt)"/_sysconfigdata__*.py >"$OUT/Lib/_sysconfigdata__wasi_wasm32-wasi.py"

  # For whoever changes what configure looks at: to be put into build/.
  {
    echo "# $(configured_for)"
    sed -n '/^## Cache variables/,/^## Output variables/p' config.log |
      grep -E '^ac_cv_' | grep -vE '^ac_cv_(env_|path_|prog_(CC|CPP|PYTHON_FOR_REGEN)=|build=|host=)'
  } >"$OUT/known.site"

  # CPython's own, and the acknowledgements for what it incorporates.
  cp "$SRC/python3.13/Doc/license.rst" "$OUT/licences/cpython"
  cp "$SRC/python3.13/Modules/expat/COPYING" "$OUT/licences/expat"
  sed '/\*\//q' "$SRC/python3.13/Modules/_decimal/libmpdec/mpdecimal.h" >"$OUT/licences/libmpdec"
  sed '/\*\//q' "$SRC/python3.13/Modules/_hacl/Hacl_Hash_SHA2.c" >"$OUT/licences/hacl"
  cp "$SRC/zlib/LICENSE" "$OUT/licences/zlib"
  cp "$SRC/bzip2/LICENSE" "$OUT/licences/bzip2"
  cp "$SRC/xz-utils/COPYING.0BSD" "$OUT/licences/xz"
  cp "$SRC/sqlite3/LICENSE.md" "$OUT/licences/sqlite"
  cp /usr/share/doc/wasi-libc/copyright "$OUT/licences/wasi-libc"
  cp /usr/share/doc/libclang-rt-19-dev-wasm32/copyright "$OUT/licences/compiler-rt"
  cp /usr/share/common-licenses/Apache-2.0 "$OUT/licences/apache-2.0"
}

make_sqlite &
made=$!
build_xz &
xz=$!
unpack python3.13 '^(CVE-|dict-use-after-free|traverse-managed-dicts)'
build_zlib
build_bzip2
build_posix
wait "$made"
compile_sqlite &
sqlite=$!
wait "$xz"
configure_python
make -j"$JOBS" libpython3.13.a pybuilddir.txt
wait "$sqlite"
build_ctypes
require_modules
collect
