//! What bc writes, with long lines broken.

const LINE: usize = 70;

#[derive(Clone, Copy, PartialEq)]
pub enum Stream {
    Out,
    Err,
}

pub struct Output {
    /// In the order of writing.
    pieces: Vec<(Stream, Vec<u8>)>,
    column: usize,
    /// Zero: lines are not broken.
    line: usize,
}

impl Output {
    /// @param line What `BC_LINE_LENGTH` says.
    pub fn new(line: Option<&str>) -> Self {
        let line = match line.map(|text| text.trim().parse::<i64>().unwrap_or(0)) {
            Some(0) => 0,
            Some(line @ 3..) => line as usize,
            _ => LINE,
        };
        Output { pieces: Vec::new(), column: 0, line }
    }

    fn piece(&mut self, stream: Stream) -> &mut Vec<u8> {
        if self.pieces.last().is_none_or(|(last, _)| *last != stream) {
            self.pieces.push((stream, Vec::new()));
        }
        let at = self.pieces.len() - 1;
        &mut self.pieces[at].1
    }

    pub fn write(&mut self, text: &[u8]) {
        let (mut column, line) = (self.column, self.line);
        let out = self.piece(Stream::Out);
        for byte in text {
            if *byte == b'\n' {
                column = 0;
            } else {
                column += 1;
                if line > 0 && column == line - 1 {
                    out.extend_from_slice(b"\\\n");
                    column = 1;
                }
            }
            out.push(*byte);
        }
        self.column = column;
    }

    pub fn complain(&mut self, text: &str) {
        self.piece(Stream::Err).extend_from_slice(text.as_bytes());
    }

    pub fn waiting(&self) -> usize {
        self.pieces.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    pub fn taken(&mut self) -> Vec<(Stream, Vec<u8>)> {
        std::mem::take(&mut self.pieces)
    }
}
