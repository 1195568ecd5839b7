//! The header of a NumPy file: a Python dict of exactly three keys, in any order.

/// The values of the three keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header<'a> {
    /// The type of the elements, such as `<f4`.
    pub(super) descr: &'a str,
    /// Whether the first index varies fastest.
    pub(super) fortran_order: bool,
    /// The extents; empty for a scalar.
    pub(super) shape: Vec<u64>,
}

/// The error in a header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    #[error("expected {what} at its byte {at}")]
    Expected { what: &'static str, at: usize },
    #[error("the key before its byte {at} is unknown or repeated")]
    Key { at: usize },
    #[error("it has no `{0}`")]
    Missing(&'static str),
    #[error("the elements are structured")]
    Structured,
}

type Parsed<T> = Result<T, HeaderError>;

impl<'a> Header<'a> {
    /// Parses the whole text of a header, including its padding.
    pub(super) fn parse(text: &'a [u8]) -> Parsed<Header<'a>> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        let mut cursor = Cursor { text, at: 0 };
        cursor.expect(b'{', "`{`")?;
        while !cursor.eat(b'}') {
            let key = cursor.string()?;
            let at = cursor.at;
            cursor.expect(b':', "`:`")?;
            let first = match key {
                "descr" => descr.replace(cursor.descr()?).is_none(),
                "fortran_order" => fortran_order.replace(cursor.boolean()?).is_none(),
                "shape" => shape.replace(cursor.tuple()?).is_none(),
                _ => false,
            };
            if !first {
                return Err(HeaderError::Key { at });
            }
            cursor.separator(b'}', "`,` or `}`")?;
        }
        cursor.end()?;
        Ok(Header {
            descr: descr.ok_or(HeaderError::Missing("descr"))?,
            fortran_order: fortran_order.ok_or(HeaderError::Missing("fortran_order"))?,
            shape: shape.ok_or(HeaderError::Missing("shape"))?,
        })
    }
}

/// A position in the text.
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Skips white space, and returns the rest of the text.
    fn rest(&mut self) -> &'a [u8] {
        let spaces = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += spaces;
        &self.text[self.at..]
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.rest().first() == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Parsed<()> {
        if self.eat(byte) { Ok(()) } else { self.expected(what) }
    }

    fn expected<T>(&self, what: &'static str) -> Parsed<T> {
        Err(HeaderError::Expected { what, at: self.at })
    }

    /// Reads a comma, or nothing if the closing bracket comes next.
    fn separator(&mut self, close: u8, what: &'static str) -> Parsed<()> {
        if self.rest().first() == Some(&close) { Ok(()) } else { self.expect(b',', what) }
    }

    fn end(&mut self) -> Parsed<()> {
        if self.rest().is_empty() { Ok(()) } else { self.expected("nothing more") }
    }

    /// Reads a string in either quotes, without escapes: no key and no element type needs one.
    fn string(&mut self) -> Parsed<&'a str> {
        let Some((&quote @ (b'\'' | b'"'), rest)) = self.rest().split_first() else {
            return self.expected("a string");
        };
        let length = rest.iter().position(|&byte| byte == quote);
        let inside = length.and_then(|length| str::from_utf8(&rest[..length]).ok());
        let Some(string) = inside.filter(|string| !string.contains('\\')) else {
            return self.expected("a plain string");
        };
        self.at += string.len() + 2;
        Ok(string)
    }

    fn descr(&mut self) -> Parsed<&'a str> {
        if self.eat(b'[') { Err(HeaderError::Structured) } else { self.string() }
    }

    fn boolean(&mut self) -> Parsed<bool> {
        for (word, value) in [("True", true), ("False", false)] {
            if self.rest().starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        self.expected("`True` or `False`")
    }

    fn tuple(&mut self) -> Parsed<Vec<u64>> {
        let mut extents = Vec::new();
        self.expect(b'(', "`(`")?;
        while !self.eat(b')') {
            extents.push(self.number()?);
            self.separator(b')', "`,` or `)`")?;
        }
        Ok(extents)
    }

    /// Reads a number. Python 2 wrote `3L`.
    fn number(&mut self) -> Parsed<u64> {
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = str::from_utf8(&self.text[self.at..self.at + digits]).unwrap_or_default();
        let Ok(number) = text.parse() else {
            return self.expected("a number below 2^64");
        };
        self.at += digits;
        self.at += usize::from(self.text.get(self.at) == Some(&b'L'));
        Ok(number)
    }
}
