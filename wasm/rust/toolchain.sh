# shellcheck shell=bash
# Cargo and rustc for the steps that build with Rust; sourced by them.
#   WORK  a directory of its own
#   RUST  what compiler.sh made
RUST_TARGET=wasm32-wasip1
mkdir -p "$WORK"/{bin,cargo}

# Their own loader runs them with their own libraries, whatever system this is.
libraries=$(dirname "$(echo "$RUST"/usr/lib/*/ld-linux-*.so.*)")
rust_program() {
  printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$(echo "$libraries"/ld-linux-*.so.*)" "$libraries" "$2" \
    >"$WORK/bin/$1"
  chmod +x "$WORK/bin/$1"
}
rust_program cargo "$RUST/usr/bin/cargo"
rust_program rustc "$RUST/usr/bin/rustc --sysroot $RUST/usr"
# What links programs of the build itself, such as macros.
printf '#!/bin/sh\nexec clang-19 -fuse-ld=lld "$@"\n' >"$WORK/bin/cc"
chmod +x "$WORK/bin/cc"
export PATH=$WORK/bin:$PATH CARGO_HOME=$WORK/cargo CARGO_TARGET_DIR=$WORK/target CARGO_TERM_COLOR=never

# vendored DIRECTORY: crates come from there alone.
vendored() {
  printf '[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "%s"\n' "$1" \
    >"$WORK/cargo/config.toml"
}

# build_crate FLAGS…: the crate of the present directory, for WebAssembly. The directory of the build must not reach the
# binary: the same recipe gives the same bytes anywhere.
build_crate() {
  local flags=(-Ctarget-feature=+bulk-memory,+sign-ext,+nontrapping-fptoint "--remap-path-prefix=$WORK=/build"
    "--remap-path-prefix=$RECIPE=/build" "--remap-path-prefix=$RUST=/rust" "$@")
  CARGO_TARGET_WASM32_WASIP1_LINKER=wasm-ld-19 CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS="${flags[*]}" \
    cargo build --quiet --frozen --release --target "$RUST_TARGET"
}
