#!/usr/bin/env bash
# Makes the profile that libpython.sh compiles by, $WORK/out/python.proftext.xz: of a native CPython of the same patched
# sources, instrumented, that runs the programs of training/ and some of CPython's own tests.
#
# Counters are found again by the names of functions and the shape of their source, so that a profile of 64 bits serves
# a build of 32; functions whose source differs there are compiled as without one.
. "$RECIPE/build/toolchain.sh"
. "$RECIPE/build/embedded.sh"

PROFILE=$RECIPE/profile
# Tests of what programs do most, those that run without network, threads and subprocesses.
TESTS="array ast base64 binascii bisect bz2 cmath codecs collections complex contextlib copy csv dataclasses
  datetime decimal dict difflib enum exceptions float fractions functools generators hashlib heapq itertools
  json list long math operator ordered_dict pickle pprint random re set sqlite3 statistics string struct textwrap
  tuple typing xml_etree xml_etree_c zlib"

# The runtime that writes profiles is of a package that nothing else needs: it is unpacked, not installed.
obtain_runtime() {
  mkdir -p "$WORK/runtime/out"
  (WORK=$WORK/runtime PACKAGES=libclang-rt-19-dev bash "$RECIPE/packages/fetch.sh")
  dpkg-deb --extract "$WORK"/runtime/out/*.deb "$WORK/runtime/files"
  RUNTIME=$(find "$WORK/runtime/files" -name "libclang_rt.profile-$(uname -m).a")
}

# As libpython.sh configures it, where the profile would not fit otherwise: no computed gotos, modules in the binary.
build_python() {
  mkdir -p "$WORK/obj/python"
  $CC -O1 -c "$PROFILE/poll.c" -o "$WORK/poll.o"
  cd "$WORK/obj/python"
  CC=$CC AR=$AR MODULE_BUILDTYPE=static OPT="-DNDEBUG $OPTIMISE -DSANDBOX_POLL" CPPFLAGS="-I$DEPS/include" \
    LDFLAGS="-fuse-ld=lld -L$DEPS/lib" LIBS="$WORK/poll.o -Wl,-u,__llvm_profile_runtime $RUNTIME" \
    ZLIB_CFLAGS="-I$DEPS/include" ZLIB_LIBS="-L$DEPS/lib -lz" \
    BZIP2_CFLAGS="-I$DEPS/include" BZIP2_LIBS="-L$DEPS/lib -lbz2" \
    LIBSQLITE3_CFLAGS="-I$DEPS/include" LIBSQLITE3_LIBS="-L$DEPS/lib -lsqlite3 -lm" \
    "$SRC/python3.13/configure" --with-pymalloc --without-computed-gotos --disable-test-modules --without-ensurepip \
    py_cv_module__ctypes=n/a py_cv_module__lzma=n/a
  make -j"$JOBS" python pybuilddir.txt CFLAGS_NODIST="$PROFILING"
}

# CPython's tests take all ways that there are, most of all what is refused; programs tell which are taken often. The tests
# count fourteen times as much: see the weights below.
train() {
  local program test
  export PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
  mkdir -p "$WORK"/{programs,tests,temporary}
  for program in "$PROFILE"/training/*.py; do
    echo "== $program"
    LLVM_PROFILE_FILE=$WORK/programs/$(basename "$program").profraw ./python "$program"
  done
  cd "$WORK/temporary"
  for test in $TESTS; do
    LLVM_PROFILE_FILE=$WORK/tests/$test.profraw timeout 300 ../obj/python/python -m test "test_$test" ||
      echo "== test_$test failed, and counts all the same"
  done
}

export LLVM_PROFILE_FILE=/dev/null # by no program of the build
CC=clang-19
OPTIMISE=-O1 # counters are put in before anything is optimised
PROFILING=-fprofile-instr-generate
obtain_runtime
unpack_python
build_zlib
build_bzip2
make_sqlite
compile_sqlite
build_python
train
cd "$WORK"
for part in programs tests; do llvm-profdata-19 merge -sparse -o $part.profdata $part/*.profraw; done
# Two functions of object.h, which all others are made of, are written in another way for 32 bits, with the same counters:
# they are told the hashes that those have there.
narrow='/[:;]Py_INCREF$/,/^$/ s/^175973905$/2696721/; /[:;]_Py_IsImmortal$/,/^$/ s/^1563$/1567/'
# As text, which is compressed to half of what the binary form is.
llvm-profdata-19 merge -text -sparse -weighted-input=50,programs.profdata -weighted-input=1,tests.profdata |
  sed -e "$narrow" | xz -9e >"$OUT/python.proftext.xz"
