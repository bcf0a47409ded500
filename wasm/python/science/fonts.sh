#!/usr/bin/env bash
# Fonts for what matplotlib's own and the one of documents.sh lack: Korean, and emoji.
. "$RECIPE/science/toolchain.sh"
fonts=$OUT/data/share/matplotlib/mpl-data/fonts/ttf
mkdir -p "$fonts"
for name in nanum symbola; do
  dpkg-deb -x "$SOURCES"/fonts-"$name"_*.deb "$WORK/$name"
  cp "$WORK/$name/usr/share/doc/fonts-$name/copyright" "$OUT/licences/fonts-$name"
done
cp "$WORK/nanum/usr/share/fonts/truetype/nanum/NanumGothic.ttf" "$fonts"
cp "$(find "$WORK/symbola" -name 'Symbola*.ttf' | head -n 1)" "$fonts/Symbola.ttf"
