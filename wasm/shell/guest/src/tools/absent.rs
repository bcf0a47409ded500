//! Commands that scripts take for granted, and that can't do here what they are for: they say so, and how to go on. What
//! scripts look for before they use it is better not there (`crate::advice`).

use super::Call;

const ABSENT: &[(&str, &str)] = &[
    // Figures of a machine would be made up.
    ("free", crate::advice::NO_MACHINE),
    ("stty", "'standard input': Inappropriate ioctl for device"),
];

pub fn names() -> impl Iterator<Item = &'static str> {
    ABSENT.iter().map(|(name, _)| *name)
}

pub fn run(call: &mut Call<'_>) -> i32 {
    if let Some((_, why)) = ABSENT.iter().find(|(name, _)| *name == call.name) {
        call.complain(why);
    }
    1
}
