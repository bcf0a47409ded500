//! What to do about commands that are not there.

use bashkit::{Builtin, BuiltinContext, CommandResolver, ExecResult, Result, async_trait};
use std::sync::Arc;

/// Commands of Python's index that run here once they are installed.
const INSTALLABLE: &[&str] = &[
    "autopep8", "bandit", "black", "cookiecutter", "coverage", "flake8", "isort", "mypy", "pydocstyle", "pyflakes",
    "pycodestyle", "pylint", "radon", "sqlfluff", "vulture", "yamllint", "yapf",
];

pub const NO_MACHINE: &str = "there is no machine to measure here; get_workspace_info tells what the session has and uses";

fn advice_on(name: &str) -> Option<String> {
    if INSTALLABLE.contains(&name) {
        return Some(format!("pip install {name} gets it"));
    }
    let text = match name {
        "poetry" => "pip install NAME installs packages",
        "pipenv" | "conda" | "mamba" | "pyenv" => {
            "the session is an environment of its own: pip install NAME installs packages"
        }
        "pyright" => "it needs Node. pip install mypy checks types",
        "ruff" => "it is native code. pip install flake8, or black, does its work in Python",
        "uvx" => "it is native code. pip install NAME installs packages",
        "perl" => "it is native code. awk, sed and python3 are here",
        "ruby" | "php" | "lua" | "Rscript" | "java" | "go" => "it is native code. python3 and node are here",
        "gcc" | "g++" | "cc" | "clang" | "rustc" | "cargo" => "nothing is compiled for a machine here. python3 and node are here",
        "mysql" | "psql" | "mongo" | "redis-cli" => "there is no network here. sqlite3 is here",
        "top" | "htop" | "vmstat" | "iostat" | "lscpu" | "lsblk" | "lsusb" | "lspci" | "dmesg" => {
            return Some(format!("{NO_MACHINE}, ps what runs"));
        }
        "screen" | "tmux" => "there is no terminal here; what runs in the background (&) of a call ends with it, but for servers",
        "crontab" | "systemctl" | "service" => "there are no services here: nothing runs between calls",
        "mount" | "umount" => "there is nothing to mount here; df tells of the one file system",
        "docker" | "podman" | "kubectl" => "there are no containers here",
        "ssh" | "scp" | "sftp" | "ping" | "telnet" | "dig" | "nslookup" => "there is no network here",
        "apt" | "apt-get" | "yum" | "dnf" | "apk" | "brew" => "no system packages here: pip and npm install packages",
        _ => return None,
    };
    Some(text.to_string())
}

struct Missing(String);

#[async_trait]
impl Builtin for Missing {
    async fn execute(&self, _ctx: BuiltinContext<'_>) -> Result<ExecResult> {
        Ok(ExecResult::err(format!("bash: {}\n", self.0), 127))
    }
}

pub struct Advice;

impl CommandResolver for Advice {
    fn resolve(&self, name: &str) -> Option<Arc<dyn Builtin>> {
        let advice = advice_on(name)?;
        Some(Arc::new(Missing(format!("{name}: command not found; {advice}"))))
    }
}
