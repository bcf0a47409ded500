# shellcheck shell=bash
# What the steps of the shell's build have in common; sourced by them.
#   WORK         a directory of its own; what a step makes goes to $WORK/out
#   RECIPE       this folder's parent (build/, guest/, patches/)
#   RUST_RECIPE  the folder of Rust's recipe
#   RUST         what compiler.sh there made
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC SOURCE_DATE_EPOCH=315532800

OUT=$WORK/out
TARGET=wasm32-wasip1
mkdir -p "$OUT"
. "$RUST_RECIPE/toolchain.sh"
