//! How an endpoint verifies its requests: by a provider, or by a scheme that its owner described.

use std::borrow::Cow;

use super::locator::Locator;
use super::preset::preset;
use super::provider::Provider;
use super::scheme::Scheme;

/// A provider with its schemes, ready to verify. Made of a preset ([`SchemeConfig::preset`]) or of checked settings
/// ([`SchemeConfig::new`]); cheap to make, so nothing but the settings is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemeConfig {
    provider: Provider,
    schemes: Cow<'static, [Scheme]>,
    event_type: Option<Locator>,
}

impl SchemeConfig {
    /// A provider as it is. The `hmac` provider has no scheme before it is given one, and lets nothing in.
    pub fn preset(provider: Provider) -> Self {
        Self { provider, schemes: Cow::Borrowed(preset(provider).schemes), event_type: None }
    }

    /// With checked parts.
    pub(super) const fn of(
        provider: Provider,
        schemes: Cow<'static, [Scheme]>,
        event_type: Option<Locator>,
    ) -> Self {
        Self { provider, schemes, event_type }
    }

    /// Who sends.
    pub const fn provider(&self) -> Provider {
        self.provider
    }

    /// The schemes by which a request can be verified; any one is enough.
    pub fn schemes(&self) -> &[Scheme] {
        &self.schemes
    }

    /// Where the settings say that the event type stands.
    pub(super) const fn event_type_locator(&self) -> Option<&Locator> {
        self.event_type.as_ref()
    }

    /// Whether nothing can be verified before the endpoint knows its public URL.
    pub fn needs_public_url(&self) -> bool {
        self.schemes.iter().any(Scheme::signs_url)
    }

    /// Whether the endpoint needs a secret to let anything in: all but `none`.
    pub fn needs_secret(&self) -> bool {
        self.provider != Provider::None
    }
}
