# shellcheck shell=bash
# What the steps of science have in common, beside build/toolchain.sh; sourced by them. Each is run with
#   HEADERS  those of CPython, as libpython.sh configured it
#   SOURCES  what fetch_index.py and fetch_debian.sh downloaded
#   TOOLS    what tools.sh made (not for that itself)
# and leaves in $OUT
#   objects/   files for the linker
#   modules    lines "DOTTED_NAME INIT_FUNCTION": extension modules that they have
#   python/    a folder for each distribution: what it installs, with its metadata
#   data/      what it wants to find as files, from /usr on
#   licences/
. "$RECIPE/build/toolchain.sh"

SCIENCE=$RECIPE/science
SRC=$WORK/src
mkdir -p "$SRC" "$WORK/obj" "$OUT"/{objects,python,data,licences}
touch "$OUT/modules"

# unpack NAME: an upstream source to $SRC/NAME, with the patches of patches/NAME.
unpack() {
  local name=$1 patch
  mkdir -p "$SRC/$name"
  tar xf "$(ls "$SOURCES/$name"-[0-9]*.tar.gz "$SOURCES/${name}"_*.orig.tar.?z 2>/dev/null | head -n 1)" \
    -C "$SRC/$name" --strip-components=1
  for patch in "$SCIENCE/patches/$name"/*.patch; do
    [ ! -e "$patch" ] || patch -d "$SRC/$name" -p1 --quiet --forward <"$patch"
  done
}

# describe NAME LICENCE: the metadata and the licence of the distribution whose source is the present directory.
describe() {
  local directory
  directory=$OUT/python/$1/$1-$(sed -n 's/^Version: //p' PKG-INFO | head -n 1).dist-info
  mkdir -p "$directory"
  cp PKG-INFO "$directory/METADATA"
  cp "$2" "$OUT/licences/$1"
}

if [ -n "${TOOLS:-}" ]; then
  SYSROOT=$TOOLS/sysroot
  export HEADERS SYSROOT TARGET PATH="$SCIENCE/bin:$TOOLS/bin:$PATH" PYTHONPATH="$TOOLS/python"
fi
meson() { python3.13 "$TOOLS/meson/meson.py" "$@"; }

# SIMD, of which numpy gains 1.5× here and there.
export SCIENCE_FLAGS="$FEATURES -msimd128 -ffile-prefix-map=$WORK=/build -DNDEBUG -fno-strict-aliasing -fwrapv
  -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_MMAN"
