//! What commands answer to `--version`: scripts look whether they are GNU's, and how new. These are the versions whose options
//! and output are followed, as Debian 12 has them; the second line says whose code it is.

const COREUTILS: &[&str] = &[
    "b2sum", "base32", "base64", "basename", "basenc", "cat", "chmod", "cksum", "comm", "cp", "csplit", "cut", "date", "dd", "df",
    "dir", "dirname", "du", "env", "expand", "expr", "factor", "fmt", "fold", "head", "id", "install", "join", "link", "ln", "ls",
    "md5sum", "mkdir", "mkfifo", "mktemp", "mv", "nl", "nohup", "nproc", "numfmt", "od", "paste", "pr", "printenv", "readlink",
    "realpath", "rm", "rmdir", "seq", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shred", "shuf", "sleep", "sort",
    "split", "stat", "stdbuf", "sum", "tac", "tail", "tee", "timeout", "touch", "tr", "truncate", "tsort", "uname", "unexpand",
    "uniq", "unlink", "vdir", "wc", "whoami", "yes",
];

const OTHERS: &[(&str, &str)] = &[
    ("bunzip2", "bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019."),
    ("bzcat", "bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019."),
    ("bzip2", "bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019."),
    ("column", "column from util-linux 2.38.1"),
    // Scripts ask whether it is there before they call it: what they call it for is refused.
    ("curl", "curl 7.88.1 (wasmbox: there is no network here)"),
    ("wget", "GNU Wget 1.21.3 (wasmbox: there is no network here)"),
    ("cmp", "cmp (GNU diffutils) 3.8"),
    ("cpio", "cpio (GNU cpio) 2.13"),
    ("diff", "diff (GNU diffutils) 3.8"),
    ("egrep", "grep (GNU grep) 3.8"),
    ("fd", "fdfind 8.6.0"),
    ("fdfind", "fdfind 8.6.0"),
    ("fgrep", "grep (GNU grep) 3.8"),
    ("file", "file-5.44"),
    ("find", "find (GNU findutils) 4.9.0"),
    ("getopt", "getopt from util-linux 2.38.1"),
    ("grep", "grep (GNU grep) 3.8"),
    ("gunzip", "gunzip (gzip) 1.12"),
    ("gzip", "gzip 1.12"),
    ("free", "free from procps-ng 4.0.2"),
    ("hexdump", "hexdump from util-linux 2.38.1"),
    ("parallel", "GNU parallel 20221122"),
    ("patch", "GNU patch 2.7.6"),
    ("ps", "ps from procps-ng 4.0.2"),
    ("rename", "rename using File::Rename version 1.31, and rename from util-linux 2.38.1"),
    ("rev", "rev from util-linux 2.38.1"),
    ("rg", "ripgrep 13.0.0"),
    ("rsync", "rsync  version 3.2.7  protocol version 31"),
    ("sed", "sed (GNU sed) 4.9"),
    ("strings", "GNU strings (GNU Binutils) 2.40"),
    ("tree", "tree v2.1.0"),
    ("unzstd", "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***"),
    ("unxz", "xz (XZ Utils) 5.4.1"),
    ("uptime", "uptime from procps-ng 4.0.2"),
    ("watch", "watch from procps-ng 4.0.2"),
    ("xargs", "xargs (GNU findutils) 4.9.0"),
    ("xz", "xz (XZ Utils) 5.4.1"),
    ("xzcat", "xz (XZ Utils) 5.4.1"),
    ("zcat", "zcat (gzip) 1.12"),
    ("zstd", "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***"),
    ("zstdcat", "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***"),
];

pub fn of(name: &str) -> Option<String> {
    let first = match OTHERS.iter().find(|known| known.0 == name) {
        Some(known) => known.1.to_string(),
        None if COREUTILS.contains(&name) => format!("{name} (GNU coreutils) 9.1"),
        None => return None,
    };
    Some(format!("{first}\nNot that program's code: wasmbox has its options and output in code of its own.\n"))
}
