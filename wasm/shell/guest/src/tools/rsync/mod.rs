//! `rsync` between paths of the session: there is no network here, and so no other side, no protocol and no delta. What is copied,
//! what is deleted and what is told of it follow rsync 3.2.

mod deletion;
mod files;
mod filter;
mod info;
mod links;
mod listing;
mod nodes;
mod options;
mod order;
mod reading;
mod receiver;
mod report;
mod sources;

use super::Call;
use super::source::names_input;
use order::Order;
use receiver::Receiver;
use sources::Sources;

const USAGE: i32 = 1;
const SELECTION: i32 = 3;
const SOCKET: i32 = 10;
const IO: i32 = 11;
const PARTIAL: i32 = 23;
const DELETIONS_STOPPED: i32 = 25;
const UNEXPLAINED: i32 = 255;

/// What ends a run at once.
pub struct Failure {
    code: i32,
    what: String,
}

impl Failure {
    fn new(code: i32, what: String) -> Self {
        Failure { code, what }
    }
}

pub fn reads_input(args: &[String]) -> bool {
    let names = args.iter().filter_map(|arg| arg.split_once("-from=").map(|(_, name)| name));
    names.into_iter().any(names_input)
}

pub fn run(call: &mut Call<'_>) -> i32 {
    if call.args == ["-h"] || call.args.iter().any(|arg| arg == "--help") {
        call.out.push_str("Usage: rsync [OPTION]... SRC [SRC]... DEST\nCopies between paths of the session: there is no network here. The options are those of rsync 3.2.\n");
        return 0;
    }
    let code = match copied(call) {
        Ok(code) => code,
        Err(Failure { code, what }) => {
            call.complain(&what);
            code
        }
    };
    if code != 0 {
        call.err.push_str(&format!("rsync error: {} (code {code})\n", explained(code)));
    }
    code
}

fn copied(call: &mut Call<'_>) -> Result<i32, Failure> {
    let order = Order::of(call)?;
    if order.info.level("FLIST") > 0 && order.directories {
        let at_once = !order.recursive || order.prune || order.lists_at_once;
        call.out.push_str(if at_once { "building file list ... done\n" } else { "sending incremental file list\n" });
    }
    let sources = Sources::of(call, &order)?;
    match &order.target {
        Some(target) if !order.info.list_only => Receiver::new(call, &order, &sources, target)?.run(call),
        _ => Ok(listing::list(call, &order, &sources)),
    }
}

fn explained(code: i32) -> &'static str {
    match code {
        USAGE => "syntax or usage error",
        SELECTION => "errors selecting input/output files, dirs",
        SOCKET => "error in socket IO",
        IO => "error in file IO",
        PARTIAL => "some files/attrs were not transferred (see previous errors)",
        DELETIONS_STOPPED => "the --max-delete limit stopped deletions",
        _ => "unexplained error",
    }
}

/// What rsync would end with if there is another machine in a name: `host:path`, `rsync://…`.
fn remote(name: &str) -> Option<i32> {
    let host = name.split('/').next().unwrap_or_default();
    match host.contains(':') {
        true if name.starts_with("rsync://") || host.contains("::") => Some(SOCKET),
        true => Some(UNEXPLAINED),
        false => None,
    }
}

fn no_network(name: &str) -> Failure {
    Failure::new(remote(name).unwrap_or(USAGE), format!("there is no network here; both sides must be local, and '{name}' is not"))
}

/// Whether a link that is there under a name leads out of what is copied.
fn unsafe_link(target: &str, name: &str) -> bool {
    if target.is_empty() || target.starts_with('/') {
        return true;
    }
    let mut depth = name.matches('/').count();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}
