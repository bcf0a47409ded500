#!/usr/bin/env bash
# CPython and the libraries it embeds, from Debian's source packages in $SOURCES, as static libraries for WASI.
#
# Makes $WORK/out/{lib/*.a,include/,Lib/,licences/}: everything that linking and the stdlib zip need.
. "$RECIPE/build/toolchain.sh"
. "$RECIPE/build/embedded.sh"
export CC CPP CXX AR RANLIB NM LD STRIP

# Beside what configure is told, since neither its answers nor sysconfig have to do with it.
PROFILING="-fprofile-instr-use=$WORK/python.profdata -Wno-profile-instr-out-of-date -Wno-profile-instr-unprofiled"

PYTHON_FLAGS="-DNDEBUG -DPy_BUILD_CORE_MODULE -I$SRC/python3.13/Include -I$SRC/python3.13/Include/internal -I$WORK/obj/python"
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
  local directory=$WORK/obj/python function known=
  # SQLite's library is still being compiled.
  for function in bind_double column_decltype column_double complete progress_handler result_double serialize \
    set_authorizer trace_v2 value_double; do
    export "ac_cv_lib_sqlite3_sqlite3_$function=yes"
  done
  export ac_cv_lib_sqlite3_sqlite3_load_extension=no
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

# Of a file, since a text that comes by a pipe is taken for an empty profile.
xz -dc "$RECIPE/profile/python.proftext.xz" >"$WORK/python.proftext"
llvm-profdata-19 merge "$WORK/python.proftext" -o "$WORK/python.profdata"
make_sqlite &
made=$!
build_xz &
xz=$!
unpack_python
build_zlib
build_bzip2
build_posix
wait "$made"
compile_sqlite &
sqlite=$!
wait "$xz"
configure_python
# All but three are optimised as one when they are linked. Functions of two are wrapped there (link.sh), and would not be
# once they are inlined. And the interpreter's loop takes V8 longer to optimise the more is inlined into it: a program's
# second run would be as slow as its first.
make -j"$JOBS" Python/ceval.o Python/errors.o Modules/_io/_iomodule.o CFLAGS_NODIST="$PROFILING"
make -j"$JOBS" libpython3.13.a CFLAGS_NODIST="$PROFILING -flto=thin"
make pybuilddir.txt # apart, since make tells it of its variables
wait "$sqlite"
build_ctypes
require_modules
collect
