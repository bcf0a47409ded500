#!/usr/bin/env bash
# LAPACK and BLAS, by f2c from their reference in Fortran: $OUT/lib/liblapack.a. What is multiplied in them is blas/blas.c's.
. "$RECIPE/science/toolchain.sh"
rm -rf "$OUT"/{objects,modules,python,data}
mkdir -p "$OUT"/{include,lib} "$WORK"/{fortran,c,include,objects}
unpack lapack
unpack libf2c2
for deb in "$SOURCES"/{f2c,libf2c2-dev}_*.deb; do dpkg-deb -x "$deb" "$WORK/f2c"; done

# By f2c's measure too new, and asked for by nobody here; or written by hand (lapack/).
cd "$SRC/lapack"
cp BLAS/SRC/*.f "$WORK/fortran"
cp -u SRC/*.f INSTALL/{ilaver,lsame}.f "$WORK/fortran"
cd "$WORK/fortran"
rm -f xerbla*.f chla_transtype.f lsamen.f ?gemm.f ??bdsvdx.f ?bdsvdx.f ?getsqrhrt.f ?laqz[0-4].f ?trsyl3.f ?*rfsx.f ?la_*.f ?*svxx.f
python3.13 "$SCIENCE/lapack/fortran77.py" ./*.f
printf '%s\n' *.f | xargs -P "$JOBS" -n 100 "$WORK/f2c/usr/bin/f2c" -A -a -R -w "-d$WORK/c" >"$WORK/f2c.log" 2>&1 || { cat "$WORK/f2c.log"; exit 1; }
cp "$WORK/f2c/usr/include/f2c.h" "$WORK/include"
# By names of their own: numpy has a part of them, which returns numbers where these return nothing. f2c adds a second
# underscore to names that have one.
{
  ls "$WORK/c" | sed -n 's/\.c$//p'
  printf '%s\n' {s,d}{ladiv1,ladiv2,lamch,lamc3} {s,d,c,z}{lassq,lartg,rotg,gemm} {s,d,sc,dz}nrm2 xerbla xerbla_array \
    chla_transtype lsamen
} | sed -E 's/^([a-z0-9]*_.*)$/#define \1__ scipy_\1_/; t; s/.*/#define &_ scipy_&_/' | sort -u >"$WORK/include/names.h"

# libf2c's functions have names that SuperLU, too, gives to functions of its own, whose roots are others.
F2C=$(echo c_{abs,cos,div,exp,log,sin,sqrt} d_{abs,cnjg,imag,int,lg10,log,mod,nint,sign} i_{abs,dnnt,indx,len,mod,nint} \
  l_{ge,gt,le,lt} pow_{ci,dd,di,ii,ri,zi,zz} r_{abs,cnjg,imag,int,lg10,mod,nint,sign} s_cmp z_{abs,cos,div,exp,log,sin,sqrt})
for name in $F2C f__cabs s_copy s_cat; do echo "#define $name scipy_$name"; done >"$WORK/include/f2c_names.h"

cd "$WORK/c"
printf '%s\n' *.c | xargs -P "$JOBS" -n 200 python3.13 "$SCIENCE/lapack/c_calls.py"
export FLAGS="-w -std=gnu89 -DIEEE_COMPLEX_DIVIDE -I$WORK/include -include $WORK/include/names.h -include $WORK/include/f2c_names.h" TO=$WORK/objects
# $OPTIMISATION of LAPACK is for size: its time is BLAS's.
compile() { xargs -P "$JOBS" -n 20 sh -c 'for name; do wcc $FLAGS -c "$name.c" -o "$TO/$(basename "$name").o" || exit 255; done' compile; }
ls "$SRC/lapack/BLAS/SRC" | sed -n 's/\.f$//p' | sort >"$WORK/blas"
ls | sed -n 's/\.c$//p' | sort | comm -23 - "$WORK/blas" | OPTIMISATION=-Os compile
ls | sed -n 's/\.c$//p' | sort | comm -12 - "$WORK/blas" | OPTIMISATION=-O3 compile
cd "$SRC/libf2c2"
printf '%s\n' $F2C cabs | OPTIMISATION=-Os compile
for name in reference gemm; do
  OPTIMISATION=-O2 wcc -Wall -include "$WORK/include/names.h" -include "$WORK/include/f2c_names.h" -c "$SCIENCE/lapack/$name.c" -o "$WORK/objects/$name.o"
done
"$AR" rcsD "$OUT/lib/liblapack.a" "$WORK"/objects/*.o
cp "$WORK/include/names.h" "$OUT/include"
cp "$SRC/lapack/LICENSE" "$OUT/licences/lapack"
cp "$SRC/libf2c2/Notice" "$OUT/licences/libf2c"
