//! How the guest is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for argument in [
        // An overflow of the stack runs off the start of memory and traps, instead of overwriting data.
        "--stack-first",
        "-zstack-size=16777216",
        // The only state of an instance that is neither in its memory nor with the host: images need it.
        "--export=__stack_pointer",
        // Called once by the host: if nobody did, the linker would have each export call it.
        "--export=__wasm_call_ctors",
    ] {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}
