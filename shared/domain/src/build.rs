//! Builds of workers: which of them take the jobs of a job type.
//!
//! A job type that is pinned to builds is given only to workers that run one of them. A job that no such worker takes waits; it
//! never fails for that.

use std::collections::{BTreeMap, BTreeSet};

use crate::names::{CallerKey, JobType, TenantName};
use crate::time::Timestamp;

/// The most builds of one pin.
pub const BUILDS_MAX: usize = 20;

/// The most pins, of all tenants together: each claim that finds them changed reads them all.
pub const PINS_MAX: u32 = 1_000;

/// Which part of all pins those of one tenant may be: its workers pin as many job types as they name.
const TENANT_PART: u32 = 4;

/// The most pins of one tenant, where there may be `pins_max` in all.
pub fn pins_of_tenant_max(pins_max: u32) -> u32 {
    (pins_max / TENANT_PART).max(1)
}

/// Who takes jobs, as far as pins are concerned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub enum WorkerBuild {
    /// Pins do not concern it: our own pools, whose job types cannot be pinned, and what passes jobs on to others.
    #[default]
    Any,
    /// A worker that does not say what it runs.
    Unnamed,
    /// A worker that runs this build.
    Named(CallerKey),
}

impl WorkerBuild {
    /// The build of a worker that polls.
    pub fn of_worker(build: Option<CallerKey>) -> Self {
        build.map_or(Self::Unnamed, Self::Named)
    }

    fn is_one_of(&self, builds: &[CallerKey]) -> bool {
        match self {
            Self::Any => true,
            Self::Unnamed => false,
            Self::Named(build) => builds.contains(build),
        }
    }
}

words! {
    /// Who pinned a job type.
    PinSource {
        /// An operator. No worker changes that.
        Operator "operator",
        /// A worker, as it began. One that begins later changes it.
        Worker "worker",
    }
}

/// A job type that is pinned to builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildPin {
    /// Whose jobs are meant; every tenant's where absent. A tenant's own pin counts instead of the one for all.
    pub tenant: Option<TenantName>,
    /// The job type.
    pub job_type: JobType,
    /// The builds that take its jobs, 1 to [`BUILDS_MAX`].
    pub builds: Vec<CallerKey>,
    /// Who pinned it.
    pub source: PinSource,
    /// Since when; of a worker's pin when that worker began.
    pub since: Timestamp,
}

/// All pins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildPins(BTreeMap<JobType, TypePins>);

/// The pins of one job type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct TypePins {
    of_all: Option<Vec<CallerKey>>,
    of_tenants: BTreeMap<TenantName, Vec<CallerKey>>,
}

impl BuildPins {
    /// Brings pins into order.
    pub fn new(pins: impl IntoIterator<Item = BuildPin>) -> Self {
        let mut all: BTreeMap<JobType, TypePins> = BTreeMap::new();
        for pin in pins {
            let of_type = all.entry(pin.job_type).or_default();
            match pin.tenant {
                Some(tenant) => drop(of_type.of_tenants.insert(tenant, pin.builds)),
                None => of_type.of_all = Some(pin.builds),
            }
        }
        Self(all)
    }

    /// The builds that take a tenant's jobs of a type; `None` where any worker does.
    pub fn of(&self, tenant: &TenantName, job_type: &JobType) -> Option<&[CallerKey]> {
        let of_type = self.0.get(job_type)?;
        of_type.of_tenants.get(tenant).or(of_type.of_all.as_ref()).map(Vec::as_slice)
    }

    /// What a worker does not take.
    pub fn withheld_from(&self, build: &WorkerBuild) -> Withheld {
        let mut withheld = Withheld::default();
        if *build == WorkerBuild::Any {
            return withheld;
        }
        for (job_type, pins) in &self.0 {
            let is_of_all = pins.of_all.as_ref().is_some_and(|builds| !build.is_one_of(builds));
            if is_of_all {
                withheld.types.insert(job_type.clone());
            }
            for (tenant, builds) in &pins.of_tenants {
                if build.is_one_of(builds) == is_of_all {
                    withheld.exceptions.insert((tenant.clone(), job_type.clone()));
                }
            }
        }
        withheld
    }
}

/// Job types that pins keep from a worker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Withheld {
    /// Those of every tenant, but for the exceptions.
    pub types: BTreeSet<JobType>,
    /// Those of a tenant for which the opposite of `types` holds.
    pub exceptions: BTreeSet<(TenantName, JobType)>,
}

impl Withheld {
    /// Whether nothing is kept from it.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty() && self.exceptions.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(name: &str) -> CallerKey {
        CallerKey::trusted(name)
    }

    fn pin(tenant: Option<&str>, job_type: &str, builds: &[&str]) -> BuildPin {
        BuildPin {
            tenant: tenant.map(TenantName::trusted),
            job_type: JobType::trusted(job_type),
            builds: builds.iter().map(|name| build(name)).collect(),
            source: PinSource::Operator,
            since: Timestamp(0),
        }
    }

    fn takes(pins: &BuildPins, worker: &WorkerBuild, tenant: &str, job_type: &str) -> bool {
        let withheld = pins.withheld_from(worker);
        let (tenant, job_type) = (TenantName::trusted(tenant), JobType::trusted(job_type));
        let is_of_all = withheld.types.contains(&job_type);
        is_of_all == withheld.exceptions.contains(&(tenant, job_type))
    }

    #[test]
    fn a_pinned_type_is_for_its_builds() {
        let pins = BuildPins::new([pin(None, "greet", &["v2", "v3"])]);
        let table = [
            (WorkerBuild::Named(build("v1")), false),
            (WorkerBuild::Named(build("v2")), true),
            (WorkerBuild::Named(build("v3")), true),
            (WorkerBuild::Unnamed, false),
            (WorkerBuild::Any, true),
        ];
        for (worker, expected) in table {
            assert_eq!(takes(&pins, &worker, "acme", "greet"), expected, "{worker:?}");
            assert!(takes(&pins, &worker, "acme", "encode"), "nobody pinned it: {worker:?}");
        }
        assert_eq!(pins.of(&TenantName::trusted("acme"), &JobType::trusted("encode")), None);
    }

    #[test]
    fn a_tenants_own_pin_counts_instead_of_the_one_for_all() {
        let pins = BuildPins::new([
            pin(Some("acme"), "greet", &["v1"]),
            pin(None, "greet", &["v2"]),
            pin(Some("umbrella"), "encode", &["v2"]),
        ]);
        let (one, two) = (WorkerBuild::Named(build("v1")), WorkerBuild::Named(build("v2")));
        assert!(takes(&pins, &one, "acme", "greet") && !takes(&pins, &two, "acme", "greet"));
        assert!(!takes(&pins, &one, "umbrella", "greet") && takes(&pins, &two, "umbrella", "greet"));
        assert!(!takes(&pins, &one, "umbrella", "encode") && takes(&pins, &one, "acme", "encode"));
        assert!(!takes(&pins, &WorkerBuild::Unnamed, "acme", "greet"));
        assert_eq!(
            pins.of(&TenantName::trusted("acme"), &JobType::trusted("greet")),
            Some(&[build("v1")][..])
        );
    }

    #[test]
    fn without_pins_nothing_is_kept_from_anybody() {
        assert!(BuildPins::default().withheld_from(&WorkerBuild::Unnamed).is_empty());
        for source in [PinSource::Operator, PinSource::Worker] {
            assert_eq!(PinSource::parse(source.as_str()), Some(source));
        }
    }
}
