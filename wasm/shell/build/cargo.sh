# shellcheck shell=bash
# How the guest is built; sourced by what builds its crates, and by what builds itself.
#   CRATES  what crates.sh made
. "$RECIPE/build/toolchain.sh"

# Under a name that is the same in every build: Cargo knows again what it built by where that was.
STABLE=/tmp/wasmbox-shell
rm -rf "$STABLE"
ln -s "$WORK" "$STABLE"
trap 'rm -rf "$STABLE"' EXIT

cp -R "$CRATES" "$WORK/crates"
for directory in "$RECIPE"/patches/*/; do
  crate=$(echo "$WORK/crates/$(basename "$directory")"-[0-9]*)
  for patch in "$directory"*.patch; do
    patch --quiet --directory="$crate" --strip=1 --no-backup-if-mismatch <"$patch"
  done
  if [ -f "$crate/src/fs/mod.rs" ]; then # zzzz_empty_path.patch
    find "$crate/src/builtins" -name '*.rs' -exec sed -i 's/\bvfs_join(ctx\.cwd, /crate::fs::operand(ctx.cwd, /' {} +
  fi
  # Cargo compares the digests of files that it is told of: of these it need not know any.
  sed -i 's/"files":{[^}]*}/"files":{}/' "$crate/.cargo-checksum.json"
done

mkdir -p "$WORK/cargo"
cat >"$WORK/cargo/config.toml" <<TOML
[source.crates-io]
replace-with = "vendored"
[source.vendored]
directory = "$STABLE/crates"
TOML

# The directory of the build must not reach the binary: the same recipe gives the same bytes anywhere.
flags=(-Ctarget-feature=+bulk-memory,+sign-ext,+nontrapping-fptoint "--remap-path-prefix=$STABLE=/build")
export CARGO_TARGET_WASM32_WASIP1_LINKER=wasm-ld-19 CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS="${flags[*]}"
export CARGO_HOME=$STABLE/cargo CARGO_TARGET_DIR=$STABLE/target PATH=$STABLE/bin:$PATH

guest() { cargo "$1" --frozen --manifest-path "$STABLE/guest/Cargo.toml" "${@:2}"; }
