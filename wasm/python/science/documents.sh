#!/usr/bin/env bash
# lxml with libxml2 and libxslt, python-docx and python-pptx, which stand on it, regex, and a font for matplotlib
# that has Chinese and Japanese.
. "$RECIPE/science/toolchain.sh"
export OPTIMISATION=-O2 CC=wcc AR RANLIB=llvm-ranlib-19 CFLAGS=-w
dpkg-deb -x "$SOURCES"/autotools-dev_*.deb "$WORK/autotools"

# library NAME ARGUMENTS…: a source of Debian's, with all of its patches, configured for static linking.
configure_library() {
  local name=$1 patch
  shift
  unpack "$name"
  mkdir -p "$WORK/debian/$name"
  tar xf "$SOURCES/$name"_*.debian.tar.?z -C "$WORK/debian/$name"
  cd "$SRC/$name"
  for patch in $(grep -v '^#' "$WORK/debian/$name/debian/patches/series"); do
    patch -p1 --quiet --forward <"$WORK/debian/$name/debian/patches/$patch"
  done
  cp "$WORK"/autotools/usr/share/misc/config.{guess,sub} .
  ./configure --quiet --host=wasm32-wasi --disable-shared --without-python "$@"
}

# No network, no threads, no modules that are loaded; encodings are wasi-libc's.
configure_library libxml2 --without-{http,ftp,threads,lzma,zlib,debug,modules,icu}
# What the patches changed is nothing that would have to be generated again.
export MAKEFLAGS="--silent --jobs=$JOBS ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOMAKE=:"
make libxml2.la
cp Copyright "$OUT/licences/libxml2"
configure_library libxslt --without-{crypto,debug,debugger,plugins} --with-libxml-src="$SRC/libxml2"
make -C libxslt libxslt.la
make -C libexslt libexslt.la
cp Copyright "$OUT/licences/libxslt"
cp "$SRC"/libxml2/.libs/libxml2.a "$SRC"/libxslt/lib{xslt,exslt}/.libs/*.a "$OUT/objects"

unpack lxml
cd "$SRC/lxml"
FLAGS="-w -DLIBXML_STATIC -DLIBXSLT_STATIC -DLIBEXSLT_STATIC -Isrc/lxml/includes -I$SRC/libxml2/include -I$SRC/libxslt"
for name in etree objectify; do
  wcc $FLAGS -DPyInit_$name=PyInit_lxml__$name -Isrc/lxml -c src/lxml/$name.c -o "$OUT/objects/lxml-$name.o" &
  echo "lxml.$name PyInit_lxml__$name" >>"$OUT/modules"
done
wait
describe lxml LICENSES.txt
cp -r src/lxml "$OUT/python/lxml"
find "$OUT/python/lxml" -name '*.[ch]' -delete -o -name '*.px?' -delete -o -name '*.pyx' -delete
rm -rf "$OUT"/python/lxml/lxml/{includes,isoschematron}

unpack regex
cd "$SRC/regex"
for name in _regex _regex_unicode; do
  wcc -w -DPyInit__regex=PyInit_regex___regex -c regex_3/$name.c -o "$OUT/objects/regex-$name.o"
done
echo "regex._regex PyInit_regex___regex" >>"$OUT/modules"
describe regex LICENSE.txt
cp -r regex_3 "$OUT/python/regex/regex"
rm "$OUT"/python/regex/regex/*.[ch]

# What they find beside their modules they have to find as files.
for name in docx pptx; do
  tree=$OUT/python/python-$name data=share/python-$name
  python3.13 -m zipfile -e "$SOURCES/python_$name"-*.whl "$tree"
  cp "$(find "$tree" -path '*.dist-info/*' -name 'LICENSE*' | head -n 1)" "$OUT/licences/python-$name"
  mkdir -p "$OUT/data/$data"
  mv "$tree/$name/templates" "$OUT/data/$data"
  grep -rlE '__file__|thisdir' "$tree/$name" | xargs sed -i -E \
    -e "s#os\.path\.split\(__file__\)\[0\](, \"\.\.\")?#\"/usr/$data\"#" -e 's#thisdir, "\.\."#thisdir#'
done
rm -r "$OUT/data/share/python-docx/templates/default-docx-template"

fonts=$OUT/data/share/matplotlib/mpl-data/fonts/ttf
dpkg-deb -x "$SOURCES"/fonts-droid-fallback_*.deb "$WORK/font"
mkdir -p "$fonts"
cp "$WORK"/font/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf "$fonts"
cp "$WORK"/font/usr/share/doc/fonts-droid-fallback/copyright "$OUT/licences/fonts-droid-fallback"
