//! Which jobs a claim asks for.

use std::collections::BTreeSet;

use super::lanes::Lanes;
use crate::build::Withheld;
use crate::lane::WorkflowRef;
use crate::names::{JobType, TenantName};

/// Which jobs a claim asks for. The default is any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this tenant's; `None` is any tenant. Such a claim leaves the order of the tenants as it is.
    pub tenant: Option<TenantName>,
    /// Only these job types; `None` is any type.
    pub job_types: Option<BTreeSet<JobType>>,
    /// Workflows whose jobs stay where they are.
    pub paused: BTreeSet<WorkflowRef>,
    /// Job types that are pinned to other builds than the claimer's.
    pub withheld: Withheld,
}

/// A [`Filter`] in numbers.
pub(super) struct Admission {
    pub(super) tenant: Option<u32>,
    /// By job type number; `None` admits every type.
    job_types: Option<Vec<bool>>,
    /// By job type number; empty where none is.
    withheld: Vec<bool>,
    /// Tenants and job types for which the opposite holds; sorted.
    exceptions: Vec<(u32, u32)>,
    /// Sorted.
    paused: Vec<u32>,
}

impl Admission {
    /// `None` where no known lane can pass.
    pub(super) fn of(filter: &Filter, lanes: &Lanes) -> Option<Self> {
        let tenant = match &filter.tenant {
            Some(tenant) => Some(lanes.tenants().find(tenant)?),
            None => None,
        };
        let job_types = filter.job_types.as_ref().map(|asked| {
            let mut admitted = vec![false; lanes.job_types().len()];
            for number in asked.iter().filter_map(|job_type| lanes.job_types().find(job_type)) {
                admitted[number as usize] = true;
            }
            admitted
        });
        let mut paused: Vec<_> = filter.paused.iter().filter_map(|it| lanes.workflows().find(it)).collect();
        paused.sort_unstable();
        let Withheld { types, exceptions } = &filter.withheld;
        let mut withheld = vec![false; if types.is_empty() { 0 } else { lanes.job_types().len() }];
        for number in types.iter().filter_map(|job_type| lanes.job_types().find(job_type)) {
            withheld[number as usize] = true;
        }
        let numbers = |(tenant, job_type): &(TenantName, JobType)| {
            Some((lanes.tenants().find(tenant)?, lanes.job_types().find(job_type)?))
        };
        let mut exceptions: Vec<_> = exceptions.iter().filter_map(numbers).collect();
        exceptions.sort_unstable();
        Some(Self { tenant, job_types, withheld, exceptions, paused })
    }

    /// Whether a tenant's jobs of a type are asked for, by their numbers.
    pub(super) fn admits(&self, tenant: u32, job_type: u32) -> bool {
        self.job_types.as_ref().is_none_or(|admitted| admitted[job_type as usize])
            && !self.is_withheld(tenant, job_type)
    }

    fn is_withheld(&self, tenant: u32, job_type: u32) -> bool {
        let is_of_all = self.withheld.get(job_type as usize).copied().unwrap_or(false);
        is_of_all != self.exceptions.binary_search(&(tenant, job_type)).is_ok()
    }

    pub(super) fn is_paused(&self, workflow: Option<u32>) -> bool {
        workflow.is_some_and(|workflow| self.paused.binary_search(&workflow).is_ok())
    }
}
