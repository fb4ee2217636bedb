//! Where deliveries are, and how they came in.

words! {
    /// Where a delivery is.
    DeliveryStatus {
        /// Verified and stored; its job matches it against the triggers.
        Accepted "accepted",
        /// Verified and stored; it gets its job when its endpoint takes deliveries again.
        Held "held",
        /// At least one trigger started an execution.
        Matched "matched",
        /// No trigger wanted it.
        Unmatched "unmatched",
        /// A trigger could not be evaluated, or its workflow would not start: somebody has to look.
        Parked "parked",
        /// Verified, but it came before.
        Duplicate "duplicate",
        /// Refused, for the reason that is stored with it.
        Rejected "rejected",
        /// A handshake of the provider, answered.
        Handshake "handshake",
    }
}

words! {
    /// How a delivery came in.
    DeliverySource {
        /// To an endpoint.
        Webhook "webhook",
        /// As an event.
        Event "event",
    }
}
