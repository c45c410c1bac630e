// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

@testable import LegacySwift5

/// What legacy clients are run against, and from where: on the main actor, as an app calls them.
///
/// The clients leave `completionQueue` alone, so their blocks come on the main queue. It runs while a test awaits
/// something. A closure that a test hands to a client is the main actor's, and the compiler checks that it is called
/// there: a block on another thread ends the process.
@MainActor
enum Legacy {
    /// Calls a client, and waits for the completion block that it is given.
    static func result<Value: Sendable>(_ call: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
        await withCheckedContinuation { continuation in
            call { continuation.resume(returning: $0) }
        }
    }

    nonisolated private static let mainQueueKey = DispatchSpecificKey<Bool>()

    /// Whether the caller runs on the main queue.
    nonisolated static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueueKey) == true }

    static func markMainQueue() {
        DispatchQueue.main.setSpecific(key: mainQueueKey, value: true)
    }
}

extension TestServer {
    /// How often a path was asked for.
    func count(_ path: String) -> Int { requests.filter { $0.path == path }.count }
}
