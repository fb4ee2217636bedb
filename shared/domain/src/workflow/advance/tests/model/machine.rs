//! The state machine: any steps in any order, on any definition.

use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};

use super::plan::{Plan, any_plan};
use super::system::{Step, System};

/// Makes up a definition and steps. Which nodes there are to choose from is worked out when they are carried out.
enum Script {}

impl ReferenceStateMachine for Script {
    type State = Plan;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Plan> {
        any_plan().boxed()
    }

    fn transitions(_: &Plan) -> BoxedStrategy<Step> {
        prop_oneof![
            16 => (any::<u16>(), prop::bool::weighted(0.8), any::<bool>())
                .prop_map(|(which, is_done, stops)| Step::Settle { which, is_done, stops }),
            4 => (any::<u16>(), any::<bool>()).prop_map(|(which, stops)| Step::Late { which, stops }),
            3 => (any::<u16>(), prop::bool::weighted(0.3)).prop_map(|(which, is_done)| Step::Stopped { which, is_done }),
            4 => any::<u16>().prop_map(|which| Step::Call { which }),
            4 => Just(Step::Pass),
            4 => Just(Step::Retry),
            4 => any::<u16>().prop_map(|which| Step::Requeue { which }),
            1 => any::<bool>().prop_map(|undoes| Step::Cancel { undoes }),
            3 => any::<u16>().prop_map(|which| Step::Repeat { which }),
            4 => Just(Step::Commit),
            6 => Just(Step::Crash),
        ]
        .boxed()
    }

    fn apply(plan: Plan, _: &Step) -> Plan {
        plan
    }
}

struct Machine;

impl StateMachineTest for Machine {
    type SystemUnderTest = System;
    type Reference = Script;

    fn init_test(plan: &Plan) -> System {
        System::new(plan)
    }

    fn apply(mut system: System, _: &Plan, step: Step) -> System {
        if !system.is_over() {
            system.carry_out(&step);
        }
        system
    }

    fn teardown(system: System, _: Plan) {
        system.drain();
    }
}

prop_state_machine! {
    #![proptest_config(ProptestConfig { cases: 8 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    /// Same states with crashes as without, nothing runs again whose completion was committed, everything ends.
    #[test]
    fn i08_executions_are_what_the_oracle_says_whatever_happens(sequential 1..60 => Machine);
}
