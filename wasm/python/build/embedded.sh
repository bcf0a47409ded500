# shellcheck shell=bash
# CPython's sources and the libraries that it embeds, from Debian's source packages in $SOURCES; sourced, after
# toolchain.sh, by whatever builds CPython. They are compiled by $CC with $OPTIMISE and $PROFILING.

SRC=$WORK/src
DEPS=$WORK/deps
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

# CPython, with the patches of ours too.
unpack_python() {
  local patch
  unpack python3.13 '^(CVE-|dict-use-after-free|traverse-managed-dicts)'
  for patch in "$RECIPE"/patches/*.patch; do patch -d "$SRC/python3.13" -p1 --quiet --forward <"$patch"; done
}

# library NAME SOURCE_DIRECTORY FLAGS FILES…: compiles the files into $DEPS/lib/libNAME.a, or adds them to it.
library() {
  local name=$1 directory=$2 flags=$3 file
  shift 3
  mkdir -p "$WORK/obj/$name"
  printf '%s\n' "$@" |
    xargs -P "$JOBS" -I{} $CC $OPTIMISE $PROFILING $flags -c "$directory/{}.c" -o "$WORK/obj/$name/{}.o"
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
