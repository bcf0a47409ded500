# shellcheck shell=bash
# What crates.sh and rust.sh have in common, beside toolchain.sh: the packages unpacked beside rust/, and cargo.
#   RUST  what rust/compiler.sh made
. "$RECIPE/science/toolchain.sh"
. "$RUST_RECIPE/toolchain.sh"
for name in cramjam jiter orjson pydantic_core rpds_py; do unpack $name; done
cp -r "$SCIENCE/rust" "$SRC/rust"
