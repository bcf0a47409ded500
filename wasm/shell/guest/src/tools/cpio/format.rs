//! The headers of archives: old binary ones, and those in octal (odc) and in hexadecimal digits (newc, crc).

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Format {
    Bin,
    /// With its bytes in the other order: read, but not written.
    Swapped,
    Odc,
    Newc,
    Crc,
}

pub const LAST: &str = "TRAILER!!!";
/// More than any path has.
const NAME_MAX: u64 = 1 << 16;

pub const KIND: u32 = 0o170_000;
pub const FILE: u32 = 0o100_000;
pub const DIRECTORY: u32 = 0o040_000;
pub const SYMLINK: u32 = 0o120_000;

#[derive(Clone, Default)]
pub struct Header {
    pub inode: u64,
    pub mode: u32,
    pub user: u32,
    pub links: u64,
    /// Seconds since 1970.
    pub modified: u64,
    pub size: u64,
    /// The sum of all bytes, in crc.
    pub sum: u32,
    pub name: String,
}

impl Header {
    pub fn is(&self, kind: u32) -> bool {
        self.mode & KIND == kind
    }
}

impl Format {
    pub fn named(name: &str) -> Result<Self, String> {
        match name.to_ascii_lowercase().as_str() {
            "bin" => Ok(Format::Bin),
            "odc" => Ok(Format::Odc),
            "newc" => Ok(Format::Newc),
            "crc" => Ok(Format::Crc),
            "tar" | "ustar" => Err(format!("format '{name}' is not here: tar reads and writes it")),
            _ => Err(format!("invalid archive format '{name}'; valid formats are:\ncrc newc odc bin")),
        }
    }

    /// By what archives begin with.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xc7, 0x71, ..] => Some(Format::Bin),
            [0x71, 0xc7, ..] => Some(Format::Swapped),
            [b'0', b'7', b'0', b'7', b'0', last, ..] => match last {
                b'7' => Some(Format::Odc),
                b'1' => Some(Format::Newc),
                b'2' => Some(Format::Crc),
                _ => None,
            },
            _ => None,
        }
    }

    /// Bytes of a header without its name.
    pub fn length(self) -> usize {
        match self {
            Format::Bin | Format::Swapped => 26,
            Format::Odc => 76,
            Format::Newc | Format::Crc => 110,
        }
    }

    /// What follows bytes of a number, up to where something may begin.
    pub fn padding(self, length: u64) -> u64 {
        let unit = match self {
            Format::Bin | Format::Swapped => 2,
            Format::Odc => 1,
            Format::Newc | Format::Crc => 4,
        };
        length.next_multiple_of(unit) - length
    }

    /// @returns a header without its name, and the length of that; nothing if it is none.
    pub fn read(self, bytes: &[u8]) -> Option<(Header, u64)> {
        let digits = |at: usize, length: usize, base: u32| -> Option<u64> {
            u64::from_str_radix(std::str::from_utf8(bytes.get(at..at + length)?).ok()?, base).ok()
        };
        let (header, name) = match self {
            Format::Bin | Format::Swapped => {
                let short = |at: usize| {
                    let pair = [bytes[2 * at], bytes[2 * at + 1]];
                    u64::from(if self == Format::Bin { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
                };
                let long = |at: usize| short(at) << 16 | short(at + 1);
                let header = Header {
                    inode: short(2),
                    mode: short(3) as u32,
                    user: short(4) as u32,
                    links: short(6),
                    modified: long(8),
                    size: long(11),
                    ..Header::default()
                };
                (header, short(10))
            }
            Format::Odc => {
                let header = Header {
                    inode: digits(12, 6, 8)?,
                    mode: digits(18, 6, 8)? as u32,
                    user: digits(24, 6, 8)? as u32,
                    links: digits(36, 6, 8)?,
                    modified: digits(48, 11, 8)?,
                    size: digits(65, 11, 8)?,
                    ..Header::default()
                };
                (header, digits(59, 6, 8)?)
            }
            Format::Newc | Format::Crc => {
                let field = |number: usize| digits(6 + 8 * number, 8, 16);
                let header = Header {
                    inode: field(0)?,
                    mode: field(1)? as u32,
                    user: field(2)? as u32,
                    links: field(4)?,
                    modified: field(5)?,
                    size: field(6)?,
                    sum: field(12)? as u32,
                    ..Header::default()
                };
                (header, field(11)?)
            }
        };
        (1..=NAME_MAX).contains(&name).then_some((header, name))
    }

    /// A header with its name. @returns nothing where a number has no room.
    pub fn write(self, header: &Header) -> Option<Vec<u8>> {
        let name = super::text::encode(header.name.clone());
        let length = name.len() as u64 + 1;
        let most = match self {
            Format::Bin | Format::Swapped => 0x7fff_ffff,
            Format::Odc => 0o77_777_777_777,
            Format::Newc | Format::Crc => u64::from(u32::MAX),
        };
        if header.size > most || length > 0xffff {
            return None;
        }
        let Header { inode, mode, user, links, modified, size, sum, .. } = header;
        let (inode, modified) = (*inode, modified & 0xffff_ffff);
        let mut out = match self {
            Format::Bin | Format::Swapped => {
                let halves = |value: u64| [(value >> 16) & 0xffff, value & 0xffff];
                let ([m1, m2], [s1, s2]) = (halves(modified), halves(*size));
                let fields = [0o070707, 0, inode & 0xffff, u64::from(*mode), u64::from(*user), u64::from(*user), *links, 0, m1, m2, length, s1, s2];
                fields.iter().flat_map(|field| (*field as u16).to_le_bytes()).collect()
            }
            Format::Odc => {
                let inode = inode & 0o777_777;
                format!("070707{:06o}{inode:06o}{mode:06o}{user:06o}{user:06o}{links:06o}{:06o}{modified:011o}{length:06o}{size:011o}", 0, 0).into_bytes()
            }
            Format::Newc | Format::Crc => {
                let magic = if self == Format::Newc { "070701" } else { "070702" };
                let fields = [inode, u64::from(*mode), u64::from(*user), u64::from(*user), *links, modified, *size, 0, 0, 0, 0, length, u64::from(*sum)];
                let fields: String = fields.iter().map(|field| format!("{:08X}", field & 0xffff_ffff)).collect();
                format!("{magic}{fields}").into_bytes()
            }
        };
        out.extend_from_slice(&name);
        out.push(0);
        let padding = self.padding(out.len() as u64);
        out.resize(out.len() + padding as usize, 0);
        Some(out)
    }
}
