//! Commands that can't do here what they are for: they say so, and how to go on.

use super::Call;

pub const NAMES: &[&str] = &["free"];

pub fn run(call: &mut Call<'_>) -> i32 {
    // Figures of a machine would be made up: there is none.
    call.complain("there is no machine to measure here; get_workspace_info tells what the session has and uses");
    1
}
