//! The items of a field: values, ranges, steps and lists of them.

use std::fmt;

use super::fault::CronField;

/// One item of a field, as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Term {
    /// `*`
    All,
    /// `*/step`
    AllStep {
        /// 1 or more.
        step: u8,
    },
    /// `value`
    Value(u8),
    /// `from-to`
    Range {
        /// The first value.
        from: u8,
        /// The last value, not below `from`.
        to: u8,
    },
    /// `from-to/step`
    RangeStep {
        /// The first value.
        from: u8,
        /// The last value, not below `from`.
        to: u8,
        /// 1 or more.
        step: u8,
    },
    /// `from/step`: from there to the end of the field.
    FromStep {
        /// The first value.
        from: u8,
        /// 1 or more.
        step: u8,
    },
}

impl Term {
    fn starts_with_star(self) -> bool {
        matches!(self, Self::All | Self::AllStep { .. })
    }

    /// First value, last value and step.
    fn bounds(self, field: CronField) -> (u8, u8, u8) {
        match self {
            Self::All => (field.min(), field.max(), 1),
            Self::AllStep { step } => (field.min(), field.max(), step),
            Self::Value(value) => (value, value, 1),
            Self::Range { from, to } => (from, to, 1),
            Self::RangeStep { from, to, step } => (from, to, step),
            Self::FromStep { from, step } => (from, field.max(), step),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::AllStep { step } => write!(f, "*/{step}"),
            Self::Value(value) => write!(f, "{value}"),
            Self::Range { from, to } => write!(f, "{from}-{to}"),
            Self::RangeStep { from, to, step } => write!(f, "{from}-{to}/{step}"),
            Self::FromStep { from, step } => write!(f, "{from}/{step}"),
        }
    }
}

/// A list of items; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Values {
    terms: Vec<Term>,
}

impl Values {
    /// `None` for an empty list.
    pub(super) fn new(terms: Vec<Term>) -> Option<Self> {
        (!terms.is_empty()).then_some(Self { terms })
    }

    /// The field that restricts nothing.
    pub(super) fn all() -> Self {
        Self { terms: vec![Term::All] }
    }

    /// The items in the order in which they were written.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether the field is `*` alone. Only that (or `?`) leaves a day field unrestricted: `1-31` and `*/1` do not.
    pub fn is_star(&self) -> bool {
        self.terms == [Term::All]
    }

    /// Whether the text of the field begins with `*`.
    pub fn starts_with_star(&self) -> bool {
        self.terms[0].starts_with_star()
    }

    /// The values as bits: bit `n` is set when the value `n` is among them. Sunday is bit 0.
    pub fn mask(&self, field: CronField) -> u64 {
        let mut mask = 0;
        for term in &self.terms {
            let (from, to, step) = term.bounds(field);
            for value in (from..=to).step_by(usize::from(step.max(1))) {
                let value = if field == CronField::DayOfWeek { value % 7 } else { value };
                mask |= 1_u64 << value;
            }
        }
        mask
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, term) in self.terms.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{term}")?;
        }
        Ok(())
    }
}

/// The set bits of a mask, lowest first.
pub(in crate::schedule) fn bits(mask: u64) -> impl Iterator<Item = u8> {
    (0..64_u8).filter(move |bit| mask >> bit & 1 == 1)
}
