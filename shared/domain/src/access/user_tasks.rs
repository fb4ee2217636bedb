//! Who may claim and complete a user task.

use super::{Permission, Role};

/// Whose a user task is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskOwners<'a> {
    /// The person who has to do it.
    pub assignee: Option<&'a str>,
    /// The group of which somebody has to do it.
    pub group: Option<&'a str>,
    /// Who has claimed it.
    pub claimed_by: Option<&'a str>,
}

/// Who comes to a user task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskCaller<'a> {
    /// The role of the key.
    pub role: Role,
    /// What a claim is recorded under: the key's person, or its id.
    pub name: &'a str,
    /// The person that the key stands for.
    pub person: Option<&'a str>,
    /// The groups that the key belongs to.
    pub groups: &'a [String],
}

/// Why somebody may not do a user task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskRefusal {
    /// It is another person's or group's.
    NotTheirs,
    /// Somebody else has claimed it.
    Claimed,
}

/// Whether a caller may claim or complete a task. The keys of machines never may; administrators and operators may for
/// everybody, which the audit log shows; all others may where the task is theirs or nobody's in particular, and not
/// while somebody else has claimed it.
pub fn may_do_task(task: &TaskOwners<'_>, caller: &TaskCaller<'_>) -> Result<(), TaskRefusal> {
    if !caller.role.may(Permission::Start) {
        return Err(TaskRefusal::NotTheirs);
    }
    if caller.role.may(Permission::Operate) {
        return Ok(());
    }
    let is_assignee = task.assignee.is_some() && task.assignee == caller.person;
    let is_member = task.group.is_some_and(|group| caller.groups.iter().any(|own| own == group));
    let is_anybodys = task.assignee.is_none() && task.group.is_none();
    if !(is_assignee || is_member || is_anybodys) {
        return Err(TaskRefusal::NotTheirs);
    }
    match task.claimed_by {
        Some(other) if other != caller.name => Err(TaskRefusal::Claimed),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller<'a>(role: Role, person: Option<&'a str>, groups: &'a [String]) -> TaskCaller<'a> {
        TaskCaller { role, name: person.unwrap_or("key_1"), person, groups }
    }

    #[test]
    fn a_task_is_done_by_whose_it_is() {
        let finance = ["finance".to_owned()];
        let ann = TaskOwners { assignee: Some("ann"), ..TaskOwners::default() };
        let group = TaskOwners { group: Some("finance"), ..TaskOwners::default() };
        let both = TaskOwners { assignee: Some("ann"), group: Some("finance"), claimed_by: None };
        let nobody = TaskOwners::default();
        let may = |task: &TaskOwners<'_>, who: &TaskCaller<'_>| may_do_task(task, who).is_ok();
        let client = |person, groups| caller(Role::Client, person, groups);
        assert!(may(&ann, &client(Some("ann"), &[])) && !may(&ann, &client(Some("bob"), &finance)));
        assert!(may(&group, &client(Some("bob"), &finance)) && !may(&group, &client(None, &[])));
        assert!(may(&both, &client(Some("ann"), &[])) && may(&both, &client(Some("bob"), &finance)));
        assert!(may(&nobody, &client(None, &[])));
        assert!(!may(&ann, &client(None, &[])), "a key that stands for nobody is not the assignee");
        for task in [&ann, &group, &both, &nobody] {
            assert!(may(task, &caller(Role::Operator, None, &[])));
            for role in [Role::Worker, Role::Viewer] {
                assert_eq!(
                    may_do_task(task, &caller(role, Some("ann"), &finance)),
                    Err(TaskRefusal::NotTheirs)
                );
            }
        }
    }

    #[test]
    fn a_claim_keeps_the_others_of_the_group_away() {
        let finance = ["finance".to_owned()];
        let task = TaskOwners { group: Some("finance"), claimed_by: Some("ann"), assignee: None };
        let (ann, bob) =
            (caller(Role::Client, Some("ann"), &finance), caller(Role::Client, Some("bob"), &finance));
        assert_eq!(may_do_task(&task, &ann), Ok(()));
        assert_eq!(may_do_task(&task, &bob), Err(TaskRefusal::Claimed));
        assert_eq!(may_do_task(&task, &caller(Role::Admin, None, &[])), Ok(()));
    }
}
