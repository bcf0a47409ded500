//! `rsync` without a target, and `--list-only`.

use super::order::Order;
use super::report::{Stats, printable};
use super::sources::Sources;
use super::PARTIAL;
use crate::tools::{Call, mode, time};

pub fn list(call: &mut Call<'_>, order: &Order, sources: &Sources<'_>) -> i32 {
    let mut stats = Stats::begin();
    for entry in &sources.entries {
        stats.count(entry);
        if order.info.is_quiet() {
            continue;
        }
        let modified = time::local(entry.status.modified, call.environment).format("%Y/%m/%d %H:%M:%S");
        let size = match &entry.leads_to {
            Some(target) => target.len() as u64,
            None => entry.status.size,
        };
        let target = entry.leads_to.as_ref().filter(|_| order.links).map_or(String::new(), |target| format!(" -> {target}"));
        let name = printable(&entry.shown);
        let line = format!("{} {:>14} {modified} {name}{target}\n", mode::symbolic(&entry.status), order.info.number(size));
        call.out.push_str(&line);
    }
    stats.tell(call, order);
    if sources.incomplete || sources.failed { PARTIAL } else { 0 }
}
