// SPDX-License-Identifier: MIT

/// A policy for an operation whose upstream failed or was cancelled.
public enum DependencyFailurePolicy: String, Sendable, Codable {
    /// Run all the same, as in AFNetworking and Foundation.
    case run
    /// End as cancelled, at once and without taking a slot. The upstream's error is the underlying error.
    case cancel
}
