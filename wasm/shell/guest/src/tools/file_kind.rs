//! What a file's bytes are, in the words of `file` 5.44.

/// What is told of a kind of file.
pub struct Kind {
    pub text: String,
    pub mime: &'static str,
    pub encoding: &'static str,
}

fn binary(text: impl Into<String>, mime: &'static str) -> Kind {
    Kind { text: text.into(), mime, encoding: "binary" }
}

pub fn kind_of(bytes: &[u8]) -> Kind {
    if bytes.is_empty() {
        return binary("empty", "inode/x-empty");
    }
    if let Some(known) = by_magic(bytes) {
        return known;
    }
    let Some((encoding, charset)) = encoding_of(bytes) else {
        return binary("data", "application/octet-stream");
    };
    let text = String::from_utf8_lossy(bytes);
    let lines = line_ends(bytes);
    let (text, mime) = match language_of(&text) {
        Some((name, mime, Form::Alone)) => (name.to_string(), mime),
        Some((name, mime, Form::Text)) => (format!("{name}, {encoding}{lines}"), mime),
        Some((name, mime, Form::Executable)) => (format!("{name}, {encoding} executable{lines}"), mime),
        None => (format!("{encoding}{lines}"), "text/plain"),
    };
    Kind { text, mime, encoding: charset }
}

fn by_magic(bytes: &[u8]) -> Option<Kind> {
    let number = |at: usize, length: usize| bytes.get(at..at + length).map(|part| part.iter().fold(0u64, |value, byte| value << 8 | u64::from(*byte)));
    let little = |at: usize| bytes.get(at..at + 2).map(|part| u16::from_le_bytes([part[0], part[1]]));
    Some(match bytes {
        [0x89, b'P', b'N', b'G', 13, 10, 26, 10, ..] => {
            let color = match bytes.get(25)? {
                0 => "grayscale",
                2 => "/color RGB",
                3 => "colormap",
                4 => "gray+alpha",
                _ => "/color RGBA",
            };
            let separator = if color.starts_with('/') { "" } else { " " };
            let interlaced = if *bytes.get(28)? == 0 { "non-interlaced" } else { "interlaced" };
            let (width, height) = (number(16, 4)?, number(20, 4)?);
            binary(format!("PNG image data, {width} x {height}, {}-bit{separator}{color}, {interlaced}", bytes[24]), "image/png")
        }
        [0xff, 0xd8, 0xff, ..] => binary("JPEG image data", "image/jpeg"),
        [b'G', b'I', b'F', b'8', version @ (b'7' | b'9'), b'a', ..] => {
            binary(format!("GIF image data, version 8{}a, {} x {}", char::from(*version), little(6)?, little(8)?), "image/gif")
        }
        [b'%', b'P', b'D', b'F', b'-', a, b'.', b, ..] => {
            binary(format!("PDF document, version {}.{}", char::from(*a), char::from(*b)), "application/pdf")
        }
        [b'P', b'K', 3, 4, version, ..] => {
            let method = match little(8)? {
                0 => "store",
                8 => "deflate",
                _ => "other",
            };
            binary(format!("Zip archive data, at least v{}.{} to extract, compression method={method}", version / 10, version % 10), "application/zip")
        }
        [b'P', b'K', 5, 6, ..] => binary("Zip archive data (empty)", "application/zip"),
        [0x1f, 0x8b, ..] => binary("gzip compressed data", "application/gzip"),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            let check = match bytes.get(7)? & 15 {
                0 => "NONE",
                1 => "CRC32",
                10 => "SHA-256",
                _ => "CRC64",
            };
            binary(format!("XZ compressed data, checksum {check}"), "application/x-xz")
        }
        [b'B', b'Z', b'h', size @ b'1'..=b'9', ..] => {
            binary(format!("bzip2 compressed data, block size = {}00k", char::from(*size)), "application/x-bzip2")
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => binary("Zstandard compressed data (v0.8+)", "application/zstd"),
        [0x7f, b'E', b'L', b'F', ..] => binary("ELF executable or object file", "application/x-executable"),
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => binary("WebAssembly (wasm) binary module version 0x1 (MVP)", "application/wasm"),
        _ if bytes.starts_with(b"SQLite format 3\0") => binary("SQLite 3.x database", "application/vnd.sqlite3"),
        _ if bytes.get(257..262) == Some(b"ustar") => {
            let kind = if bytes.get(262) == Some(&b' ') { "POSIX tar archive (GNU)" } else { "POSIX tar archive" };
            binary(kind, "application/x-tar")
        }
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => binary("RIFF (little-endian) data, WAVE audio", "audio/x-wav"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => binary("RIFF (little-endian) data, Web/P image", "image/webp"),
        _ => return None,
    })
}

/// @returns None for what is no text.
fn encoding_of(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let is_text = |byte: &u8| matches!(byte, 7..=13 | 27 | 32..=126 | 128..);
    if !bytes.iter().all(is_text) {
        return None;
    }
    if bytes.is_ascii() {
        return Some(("ASCII text", "us-ascii"));
    }
    if std::str::from_utf8(bytes).is_ok() {
        let marked = bytes.starts_with(&[0xef, 0xbb, 0xbf]);
        return Some((if marked { "Unicode text, UTF-8 (with BOM) text" } else { "Unicode text, UTF-8 text" }, "utf-8"));
    }
    if bytes.iter().any(|byte| (0x80..0xa0).contains(byte)) {
        return Some(("Non-ISO extended-ASCII text", "unknown-8bit"));
    }
    Some(("ISO-8859 text", "iso-8859-1"))
}

/// Longest line of which nothing is said.
const LINE_MAX: usize = 300;

fn line_ends(bytes: &[u8]) -> String {
    let longest = bytes.split(|byte| *byte == b'\n').map(<[u8]>::len).max().unwrap_or(0);
    let mut told = if longest > LINE_MAX { format!(", with very long lines ({longest})") } else { String::new() };
    let crlf = bytes.windows(2).filter(|pair| pair == b"\r\n").count();
    let lf = bytes.iter().filter(|byte| **byte == b'\n').count() - crlf;
    let cr = bytes.iter().filter(|byte| **byte == b'\r').count() - crlf;
    let kinds: Vec<&str> = [("CRLF", crlf), ("CR", cr), ("LF", lf)].iter().filter(|(_, count)| *count > 0).map(|(name, _)| *name).collect();
    match kinds.as_slice() {
        [] => told.push_str(", with no line terminators"),
        ["LF"] => {}
        kinds => told.push_str(&format!(", with {} line terminators", kinds.join(", "))),
    }
    told
}

enum Form {
    Alone,
    Text,
    Executable,
}

fn language_of(text: &str) -> Option<(&'static str, &'static str, Form)> {
    if let Some(line) = text.strip_prefix("#!") {
        let line = line.lines().next().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        let first = words.next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        let program = if first == "env" { words.find(|word| !word.starts_with('-')).unwrap_or_default() } else { first };
        return Some(match program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.') {
            "bash" => ("Bourne-Again shell script", "text/x-shellscript", Form::Executable),
            "sh" | "dash" => ("POSIX shell script", "text/x-shellscript", Form::Executable),
            "python" => ("Python script", "text/x-script.python", Form::Executable),
            "perl" => ("Perl script", "text/x-perl", Form::Executable),
            "ruby" => ("Ruby script", "text/x-ruby", Form::Executable),
            "node" => ("Node.js script", "application/javascript", Form::Executable),
            _ => ("script", "text/plain", Form::Executable),
        });
    }
    let begun = text.trim_start();
    let begins = |word: &str| begun.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if begun.starts_with(['{', '[']) {
        let mut values = serde_json::Deserializer::from_str(begun).into_iter::<serde_json::Value>();
        let first = values.next();
        if matches!(first, Some(Ok(_))) {
            return match values.next() {
                None => Some(("JSON text data", "application/json", Form::Alone)),
                Some(Ok(_)) => Some(("New Line Delimited JSON text data", "application/x-ndjson", Form::Alone)),
                Some(Err(_)) => None,
            };
        }
    }
    if begins("<?xml") {
        return Some(("XML 1.0 document", "text/xml", Form::Text));
    }
    if begins("<!doctype html") || begins("<html") {
        return Some(("HTML document", "text/html", Form::Text));
    }
    if text.lines().take(50).any(|line| line.starts_with("#include")) {
        return Some(("C source", "text/x-c", Form::Text));
    }
    if is_csv(text) {
        return Some(("CSV text", "text/csv", Form::Alone));
    }
    let python = |line: &str| {
        (line.starts_with("from ") && line.contains(" import ")) || (line.starts_with("def ") && line.trim_end().ends_with(':'))
    };
    text.lines().take(100).any(python).then_some(("Python script", "text/x-script.python", Form::Executable))
}

/// The first ten lines have as many fields each, and more than one.
fn is_csv(text: &str) -> bool {
    let mut counts = text.lines().take(10).map(|line| {
        let mut quoted = false;
        line.bytes().filter(|byte| {
            quoted ^= *byte == b'"';
            *byte == b',' && !quoted
        }).count()
    });
    let first = counts.next().unwrap_or(0);
    let rest: Vec<usize> = counts.collect();
    first > 0 && !rest.is_empty() && rest.iter().all(|count| *count == first)
}
