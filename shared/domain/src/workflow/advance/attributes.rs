//! Searchable attributes that a definition sets: at the start, and as nodes complete.

use crate::attribute::SetAttribute;
use crate::workflow::advance::transition::Transition;
use crate::workflow::execution::Effect;
use crate::workflow::expression::Local;

impl Transition<'_> {
    /// What the definition sets at the start.
    pub(super) fn set_attributes_at_start(&mut self) {
        let scope = self.scope(Local::default());
        let with_value = self.definition.attributes.iter().filter_map(|one| Some((one, one.value.as_ref()?)));
        let set = with_value.map(|(one, value)| {
            SetAttribute::of(one.name.clone(), one.kind, value.render(&scope).ok().as_ref())
        });
        let set = set.collect();
        self.set_attributes(set);
    }

    /// What a node sets that has completed; its output is in scope.
    pub(super) fn set_attributes_of(&mut self, index: usize) {
        let scope = self.scope_of(index);
        let set = self.node(index).attributes.iter().filter_map(|(name, value)| {
            let declared = self.definition.attributes.iter().find(|one| one.name == *name)?;
            Some(SetAttribute::of(name.clone(), declared.kind, value.render(&scope).ok().as_ref()))
        });
        let set = set.collect();
        self.set_attributes(set);
    }

    fn set_attributes(&mut self, set: Vec<SetAttribute>) {
        if !set.is_empty() {
            self.effects.push(Effect::SetAttributes(set));
        }
    }
}
