//! Commands that can't do here what they are for: they say so, and how to go on.

use super::Call;

/// Figures of a machine would be made up: there is none.
const NO_MACHINE: &str = "there is no machine to measure here; get_workspace_info tells what the session has and uses, ps what runs";
const NO_TERMINAL: &str = "there is no terminal here; what runs in the background of a call (&) ends with it";
const NO_SERVICES: &str = "there are no services here: nothing runs between calls";
const NO_MOUNTS: &str = "there is nothing to mount here; df tells of the one file system";

const ABSENT: &[(&str, &str)] = &[
    ("free", NO_MACHINE),
    ("top", NO_MACHINE),
    ("htop", NO_MACHINE),
    ("lscpu", NO_MACHINE),
    ("lsblk", NO_MACHINE),
    ("lsusb", NO_MACHINE),
    ("lspci", NO_MACHINE),
    ("dmesg", NO_MACHINE),
    ("stty", "'standard input': Inappropriate ioctl for device"),
    ("vmstat", NO_MACHINE),
    ("iostat", NO_MACHINE),
    ("screen", NO_TERMINAL),
    ("tmux", NO_TERMINAL),
    ("crontab", NO_SERVICES),
    ("systemctl", NO_SERVICES),
    ("service", NO_SERVICES),
    ("mount", NO_MOUNTS),
    ("umount", NO_MOUNTS),
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
