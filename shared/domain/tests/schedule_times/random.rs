//! Random expressions from a fixed seed, so that a failure can be repeated.

/// A small generator (xorshift); its quality is of no importance here.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From `min` to `max`, both included.
    pub(crate) fn between(&mut self, min: i64, max: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        min + ((self.0 >> 11) % (max - min + 1).unsigned_abs()) as i64
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.between(0, from.len() as i64 - 1) as usize]
    }

    fn item(&mut self, min: i64, max: i64) -> String {
        let first = self.between(min, max);
        let last = self.between(first, max);
        match self.between(0, 9) {
            0..=5 => first.to_string(),
            6 | 7 => format!("{first}-{last}"),
            8 => format!("{first}-{last}/{}", self.between(1, 5)),
            _ => format!("*/{}", self.between(2, (max - min).max(2))),
        }
    }

    /// A list, or in `stars` of ten cases `*`.
    fn field(&mut self, min: i64, max: i64, stars: i64) -> String {
        if self.between(1, 10) <= stars {
            return "*".into();
        }
        let count = self.between(1, 3);
        let items: Vec<String> = (0..count).map(|_| self.item(min, max)).collect();
        items.join(",")
    }

    /// Fields without L, W and #.
    pub(crate) fn plain(&mut self) -> String {
        let (minute, hour) = (self.field(0, 59, 2), self.field(0, 23, 4));
        let (day, month, weekday) = (self.field(1, 31, 6), self.field(1, 12, 7), self.field(0, 7, 6));
        format!("{minute} {hour} {day} {month} {weekday}")
    }

    /// Fields that match on most days and often at night, when clocks are changed.
    pub(crate) fn nightly(&mut self) -> String {
        let minute = self.field(0, 59, 2);
        let hour = match self.between(0, 3) {
            0 => "*".to_owned(),
            1 => self.field(0, 23, 0),
            _ => self.field(0, 3, 0),
        };
        let specials = ["L", "LW", "15W", "1W", "31W", "30W"];
        let nths = ["0L", "6L", "0#1", "0#2", "5#5", "0#4", "6#1"];
        match self.between(0, 9) {
            0 => format!("{minute} {hour} {} * {}", self.pick(&specials).to_owned(), self.field(0, 7, 3)),
            1 => format!("{minute} {hour} {} * {}", self.field(1, 31, 3), self.pick(&nths).to_owned()),
            2 => format!("{minute} {hour} {} * {}", self.field(1, 31, 0), self.field(0, 7, 0)),
            _ => format!("{minute} {hour} * * *"),
        }
    }
}
