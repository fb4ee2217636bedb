//! The state machine: any steps in any order, carried out on a store and on the oracle.

use std::marker::PhantomData;

use proptest::strategy::{BoxedStrategy, Just, Strategy as _};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

use crate::checks;
use crate::harness::Harness;
use crate::steps;
use crate::system::System;
use crate::transition::{Step, first_step, step};

/// Makes up steps. All that it knows is whether there is anything to work with yet: what a claim takes is the store's
/// choice, so the oracle cannot run ahead of it and lives in the [`System`].
pub(crate) enum Script {}

impl ReferenceStateMachine for Script {
    type State = bool;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<bool> {
        Just(false).boxed()
    }

    fn transitions(has_begun: &bool) -> BoxedStrategy<Step> {
        if *has_begun { step() } else { first_step() }
    }

    fn apply(_: bool, _: &Step) -> bool {
        true
    }
}

/// Carries out steps on one kind of database.
pub(crate) struct Machine<B>(PhantomData<B>);

impl<B: Harness> StateMachineTest for Machine<B> {
    type SystemUnderTest = System;
    type Reference = Script;

    fn init_test(_: &bool) -> System {
        System::new::<B>()
    }

    fn apply(mut system: System, _: &bool, step: Step) -> System {
        steps::carry_out(&mut system, &step);
        checks::after_step(&mut system);
        system
    }

    fn teardown(mut system: System, _: bool) {
        checks::at_the_end(&mut system);
    }
}
