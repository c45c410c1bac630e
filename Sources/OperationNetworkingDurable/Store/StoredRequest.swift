// SPDX-License-Identifier: MIT
public import Foundation

/// A request as a store gets it. What is sent is opaque to the store; the other values are what it decides by.
///
/// Times are spans: a store counts them from the moment of the addition by its own clock, so that the clocks of machines
/// need not agree.
public struct StoredRequest: Sendable {
    /// The name. A store that has it already leaves what it has as it is.
    public var id: DurableRequest.ID
    /// The group, up to 255 bytes. Nil by default.
    public var group: String?
    /// The rank among the requests that are ready, a higher one first, equal ones in the order of their addition. 0 by
    /// default.
    public var priority = 0
    /// The key that the limits for a host go by, its name in small letters with the port. Empty: no limit applies.
    public var host: String
    /// The requests that have to end first, in the store already or of the same addition. None by default.
    public var dependencies: [DurableRequest.Dependency] = []
    /// Seconds before it may be sent, counted from the addition. 0 by default.
    public var delay: TimeInterval = 0
    /// Seconds, counted from the addition, after which it fails if it has not ended. Nil by default: never.
    public var timeToDeadline: TimeInterval?
    /// The number of leases that may run out, because the worker was killed or cut off, before the request fails. One
    /// that brings its worker down each time must not do so for ever. 25 by default.
    public var maximumLosses = 25
    /// The request, as ``DurableRequestQueue`` encodes it.
    public var content: Data
    /// The body of the request, apart from it. Nil by default.
    public var body: Data?

    /// A request with the defaults of all rules.
    public init(id: DurableRequest.ID, host: String, content: Data) {
        self.id = id
        self.host = host
        self.content = content
    }
}
