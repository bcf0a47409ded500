//! What a command line of `rsync` asks for.

use super::filter::Rules;
use super::info::Info;
use crate::tools::mode;

#[derive(Clone, Copy, Default, PartialEq)]
pub enum Deletion {
    #[default]
    None,
    Before,
    During,
    After,
}

/// What is done with a file that a directory beside the target has already.
#[derive(Clone, Copy, Default, PartialEq)]
pub enum Basis {
    #[default]
    Compare,
    Copy,
    Link,
}

#[derive(Default)]
pub struct Order {
    pub sources: Vec<String>,
    /// Nothing: what there is is listed.
    pub target: Option<String>,
    /// Of `--files-from`.
    pub names: Option<Vec<String>>,
    pub rules: Rules,
    pub info: Info,
    pub recursive: bool,
    /// Whether all has to be known before anything is done, which is told.
    pub lists_at_once: bool,
    pub directories: bool,
    pub relative: bool,
    pub implied: bool,
    pub links: bool,
    pub copy_links: bool,
    pub copy_unsafe_links: bool,
    pub safe_links: bool,
    pub copy_directory_links: bool,
    pub keep_directory_links: bool,
    pub hard_links: bool,
    pub perms: bool,
    pub executability: bool,
    pub times: bool,
    pub omit_directory_times: bool,
    pub omit_link_times: bool,
    pub dry: bool,
    pub checksum: bool,
    pub update: bool,
    pub in_place: bool,
    pub only_existing: bool,
    pub ignore_existing: bool,
    pub ignore_times: bool,
    pub size_only: bool,
    pub make_path: bool,
    pub remove_sources: bool,
    pub deletion: Deletion,
    pub ignore_missing: bool,
    pub ignore_errors: bool,
    pub force: bool,
    pub prune: bool,
    pub backup: bool,
    pub backup_directory: Option<String>,
    pub suffix: String,
    pub most_deleted: Option<u64>,
    pub largest: Option<u64>,
    pub smallest: Option<u64>,
    /// Seconds that times may differ by.
    pub window: u64,
    pub bases: Vec<String>,
    pub basis: Basis,
    /// Clauses of `--chmod`, and for whom they are: `D`, `F` or both.
    pub modes: Vec<(Option<char>, String)>,
}

impl Order {
    /// The mode that a file of this mode is to be given for.
    pub fn mode(&self, mode: u32, directory: bool) -> u32 {
        let own = |kind: &Option<char>| kind.is_none_or(|kind| (kind == 'D') == directory);
        let clauses = self.modes.iter().filter(|(kind, _)| own(kind));
        clauses.fold(mode, |mode, (_, clause)| mode::changed(clause, mode, directory).unwrap_or(mode))
    }

    pub fn keeps_time(&self, directory: bool, link: bool) -> bool {
        self.times && !(directory && self.omit_directory_times) && !(link && self.omit_link_times)
    }
}
