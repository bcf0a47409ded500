//! Check sums of what comes piece by piece.

use blake2::Blake2b;
use blake2::digest::consts::{U16, U20, U28, U32, U48, U64};
use sha2::Digest;

#[derive(Clone, Copy, PartialEq)]
pub enum Algorithm {
    Bsd,
    SystemV,
    Crc,
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Blake2b,
}

/// As `cksum -a` and `--tag` name those that have digests.
const NAMES: &[(Algorithm, &str, &str, usize)] = &[
    (Algorithm::Md5, "md5", "MD5", 128),
    (Algorithm::Sha1, "sha1", "SHA1", 160),
    (Algorithm::Sha224, "sha224", "SHA224", 224),
    (Algorithm::Sha256, "sha256", "SHA256", 256),
    (Algorithm::Sha384, "sha384", "SHA384", 384),
    (Algorithm::Sha512, "sha512", "SHA512", 512),
    (Algorithm::Blake2b, "blake2b", "BLAKE2b", 512),
];

impl Algorithm {
    /// @param name As `cksum -a` has it.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "bsd" => Some(Algorithm::Bsd),
            "sysv" => Some(Algorithm::SystemV),
            "crc" => Some(Algorithm::Crc),
            _ => NAMES.iter().find(|known| known.1 == name).map(|known| known.0),
        }
    }

    pub fn tagged(tag: &str) -> Option<Self> {
        NAMES.iter().find(|known| known.2 == tag).map(|known| known.0)
    }

    pub fn tag(self) -> &'static str {
        NAMES.iter().find(|known| known.0 == self).map_or("", |known| known.2)
    }

    /// Of a digest; nothing where there is only a sum.
    pub fn bits(self) -> usize {
        NAMES.iter().find(|known| known.0 == self).map_or(0, |known| known.3)
    }

    /// @param bits Of BLAKE2b. @returns nothing if there is none of that length.
    pub fn begin(self, bits: usize) -> Option<Box<dyn Sum>> {
        Some(match self {
            Algorithm::Bsd => Box::new(Bsd(0)),
            Algorithm::SystemV => Box::new(SystemV(0)),
            Algorithm::Crc => Box::new(Crc { sum: 0, length: 0 }),
            Algorithm::Md5 => Box::new(md5::Md5::new()),
            Algorithm::Sha1 => Box::new(sha1::Sha1::new()),
            Algorithm::Sha224 => Box::new(sha2::Sha224::new()),
            Algorithm::Sha256 => Box::new(sha2::Sha256::new()),
            Algorithm::Sha384 => Box::new(sha2::Sha384::new()),
            Algorithm::Sha512 => Box::new(sha2::Sha512::new()),
            Algorithm::Blake2b => match bits {
                128 => Box::new(Blake2b::<U16>::new()),
                160 => Box::new(Blake2b::<U20>::new()),
                224 => Box::new(Blake2b::<U28>::new()),
                256 => Box::new(Blake2b::<U32>::new()),
                384 => Box::new(Blake2b::<U48>::new()),
                512 => Box::new(Blake2b::<U64>::new()),
                _ => return None,
            },
        })
    }
}

pub trait Sum: Send {
    fn add(&mut self, piece: &[u8]);
    /// As it is printed.
    fn text(self: Box<Self>) -> String;
}

impl<D: Digest + Send> Sum for D {
    fn add(&mut self, piece: &[u8]) {
        Digest::update(self, piece);
    }

    fn text(self: Box<Self>) -> String {
        self.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

struct Bsd(u16);

impl Sum for Bsd {
    fn add(&mut self, piece: &[u8]) {
        self.0 = piece.iter().fold(self.0, |sum, byte| sum.rotate_right(1).wrapping_add(u16::from(*byte)));
    }

    fn text(self: Box<Self>) -> String {
        format!("{:05}", self.0)
    }
}

struct SystemV(u32);

impl Sum for SystemV {
    fn add(&mut self, piece: &[u8]) {
        self.0 = piece.iter().fold(self.0, |sum, byte| sum.wrapping_add(u32::from(*byte)));
    }

    fn text(self: Box<Self>) -> String {
        let folded = (self.0 & 0xffff) + (self.0 >> 16);
        ((folded & 0xffff) + (folded >> 16)).to_string()
    }
}

struct Crc {
    sum: u32,
    length: u64,
}

/// POSIX's polynomial, its highest bit first.
const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000_0000 != 0 { (crc << 1) ^ 0x04c1_1db7 } else { crc << 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

fn crc(sum: u32, byte: u8) -> u32 {
    (sum << 8) ^ CRC[((sum >> 24) as u8 ^ byte) as usize]
}

impl Sum for Crc {
    fn add(&mut self, piece: &[u8]) {
        self.sum = piece.iter().fold(self.sum, |sum, byte| crc(sum, *byte));
        self.length += piece.len() as u64;
    }

    fn text(self: Box<Self>) -> String {
        let mut sum = self.sum;
        let mut length = self.length;
        while length > 0 {
            sum = crc(sum, length as u8);
            length >>= 8;
        }
        (!sum).to_string()
    }
}
