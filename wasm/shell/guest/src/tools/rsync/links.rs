//! Files of several names, for `--hard-links`: one of them is copied, and the others are made names of that.

use super::order::Order;
use super::sources::Entry;
use std::collections::HashMap;

pub struct Links {
    /// Of names that are one file: the numbers of all of them, and of the one that is copied.
    groups: Vec<(Vec<usize>, Option<usize>)>,
    group_of: HashMap<usize, usize>,
    /// What is to be made a name of one that was not there yet.
    pub later: Vec<usize>,
}

impl Links {
    pub fn of(order: &Order, entries: &[Entry]) -> Self {
        let mut inodes: HashMap<u64, Vec<usize>> = HashMap::new();
        if order.hard_links {
            for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.is_file() && entry.status.links > 1) {
                inodes.entry(entry.status.inode).or_default().push(at);
            }
        }
        let groups: Vec<_> = inodes.into_values().filter(|members| members.len() > 1).map(|members| (members, None)).collect();
        let members = |(group, (members, _)): (usize, &(Vec<usize>, _))| members.iter().map(|at| (*at, group)).collect::<Vec<_>>();
        let group_of = groups.iter().enumerate().flat_map(members).collect();
        Links { groups, group_of, later: Vec::new() }
    }

    /// Whether a name has to wait for another one, that it is to be made of.
    /// @param same Whether it is there as it should be.
    pub fn waits(&mut self, at: usize, same: bool) -> bool {
        let Some(group) = self.group_of.get(&at) else { return false };
        let (members, leader) = &mut self.groups[*group];
        if leader.is_none() && (same || members.last() == Some(&at)) {
            *leader = Some(at);
        }
        let waits = *leader != Some(at);
        if waits {
            self.later.push(at);
        }
        waits
    }

    /// The name to make it of; it becomes that itself if none of the others was copied.
    pub fn leader(&mut self, at: usize) -> Option<usize> {
        let (_, leader) = &mut self.groups[*self.group_of.get(&at)?];
        let known = *leader;
        leader.get_or_insert(at);
        known
    }
}
