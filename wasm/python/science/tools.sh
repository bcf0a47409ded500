#!/usr/bin/env bash
# What the steps of science work with: C++'s library for WASI, with exceptions; Cython, ninja, meson and wasm-opt.
# Makes $OUT/{bin,binaryen,lib,licences,meson,python,sysroot}.
TOOLS= . "$RECIPE/science/toolchain.sh"
rm -rf "$OUT"/{objects,modules,data}

for deb in "$SOURCES"/*.deb; do dpkg-deb -x "$deb" "$WORK/debs"; done
mkdir -p "$OUT"/{bin,lib,python,sysroot/{include,lib}/$TARGET}
cp -r "/usr/include/$TARGET/." "$OUT/sysroot/include/$TARGET"
cp -r "/usr/lib/$TARGET/." "$OUT/sysroot/lib/$TARGET"
rm -rf "$OUT/sysroot/include/$TARGET/c++"
cp -r "$WORK/debs/usr/lib/llvm-19/include/$TARGET/." "$OUT/sysroot/include/$TARGET"
cp "$WORK/debs/usr/lib/llvm-19/lib/$TARGET"/libc++*.a "$OUT/sysroot/lib/$TARGET"
# Not in bin: clang would call it for every program that a configure script tries.
mkdir "$OUT/binaryen"
cp "$WORK"/debs/usr/bin/wasm-opt "$WORK"/debs/usr/lib/*/libbinaryen.so "$OUT/binaryen"

for wheel in cython ninja; do
  python3.13 -m zipfile -e "$(ls "$SOURCES"/*.whl | grep -i "/$wheel-")" "$WORK/$wheel"
done
cp -r "$WORK"/cython/{Cython,cython.py,pyximport} "$OUT/python"
find "$WORK/ninja" -name ninja -type f -exec cp {} "$OUT/bin/ninja" \;
printf '#!/bin/sh\nexec python3.13 -m cython "$@"\n' >"$OUT/bin/cython"
chmod +x "$OUT"/bin/*

# numpy brings a meson of its own, which builds the others as well.
tar xf "$SOURCES"/numpy-*.tar.gz -C "$WORK" --wildcards '*/vendored-meson/meson/*'
mv "$WORK"/numpy-*/vendored-meson/meson "$OUT/meson"

# Debian's libc++abi has no exceptions: what throws and catches is compiled here, and linked before it.
LLVM=$WORK/llvm
mkdir -p "$LLVM" "$WORK/obj/cxx"
tar xf "$SOURCES"/llvm-toolchain-19_*.orig.tar.xz -C "$LLVM" --strip-components=1 --wildcards \
  '*/libcxxabi/src/*' '*/libcxxabi/include/*' '*/libcxxabi/LICENSE.TXT' '*/libunwind/*' '*/libcxx/src/include/*' '*/libcxx/src/*.h'
FLAGS="--target=$TARGET --sysroot=$OUT/sysroot -O2 $FEATURES -ffile-prefix-map=$WORK=/build -DNDEBUG -fwasm-exceptions
  -I$LLVM/libunwind/include -I$LLVM/libcxxabi/include -I$LLVM/libcxx/src -I$LLVM/libcxx/src/include"
clang-19 $FLAGS -std=c11 -D_LIBUNWIND_HAS_NO_THREADS -D_LIBUNWIND_HIDE_SYMBOLS \
  -c "$LLVM/libunwind/src/Unwind-wasm.c" -o "$WORK/obj/cxx/Unwind-wasm.o"
printf '%s\n' abort_message cxa_aux_runtime cxa_default_handlers cxa_exception cxa_exception_storage cxa_guard \
  cxa_handlers cxa_personality cxa_vector cxa_virtual fallback_malloc private_typeinfo stdlib_exception \
  stdlib_new_delete stdlib_stdexcept stdlib_typeinfo |
  xargs -P "$JOBS" -I{} clang++-19 $FLAGS -std=c++23 -D_LIBCXXABI_BUILDING_LIBRARY -D_LIBCPP_BUILDING_LIBRARY \
    -D_LIBCXXABI_HAS_NO_THREADS -DLIBCXXABI_NON_DEMANGLING_TERMINATE \
    -c "$LLVM/libcxxabi/src/{}.cpp" -o "$WORK/obj/cxx/{}.o"
"$AR" rcsD "$OUT/lib/libcxxeh.a" "$WORK"/obj/cxx/*.o
cp "$LLVM/libcxxabi/LICENSE.TXT" "$OUT/licences/libcxx"
