// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import Synchronization

/// Runtimes in place of the library's own, for some operations: an operation asks for what a stub
/// answers as it asks for anything else.
///
/// An operation takes the nearest one: its own; that of the manager or session that makes it; that of the Swift task
/// that makes it; the process's. It keeps it to its end.
package enum InstalledRuntimes {
    /// True once a runtime was installed. Until then none is looked for.
    private static let isUsed = Atomic(false)
    /// Oldest first.
    private static let processWide = Locked<[(id: UInt, runtime: any OperationRuntime)]>([])
    private static let lastID = Atomic<UInt>(0)

    /// The runtime of the operations that the present Swift task makes.
    @TaskLocal private static var ofTask: (any OperationRuntime)?

    package static var mayExist: Bool { isUsed.load(ordering: .relaxed) }

    /// The runtime of the operations that are made here and now, unless they are given another.
    package static var ambient: (any OperationRuntime)? {
        ofTask ?? processWide.withLock { $0.last?.runtime }
    }

    package static func noteUse() { isUsed.store(true, ordering: .relaxed) }

    /// Gives a runtime to the operations that `body`'s task makes, and the tasks that it makes.
    package static func with<Value>(
        _ runtime: any OperationRuntime, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        noteUse()
        return try await $ofTask.withValue(runtime, operation: body)
    }

    /// The same, for work that does not wait. Nil: it is in no task.
    package static func with<Value>(_ runtime: (any OperationRuntime)?, _ body: () throws -> Value) rethrows -> Value {
        noteUse()
        return try $ofTask.withValue(runtime, operation: body)
    }

    /// Gives a runtime to all operations that are made from now on.
    ///
    /// - Returns: the number that ends that with `removeFromProcess(_:)`, in any order with others.
    package static func addToProcess(_ runtime: any OperationRuntime) -> UInt {
        noteUse()
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        processWide.withLock { $0.append((id, runtime)) }
        return id
    }

    package static func removeFromProcess(_ id: UInt) {
        let removed = processWide.withLock { list -> (any OperationRuntime)? in
            guard let index = list.firstIndex(where: { $0.id == id }) else { return nil }
            return list.remove(at: index).runtime
        }
        withExtendedLifetime(removed) {}
    }
}

extension URLConnectionOperation {
    /// The runtime that the operation runs on.
    package var runtime: any OperationRuntime {
        guard InstalledRuntimes.mayExist else { return Runtime.current }
        return lock.withLock { _configuration.value.runtime } ?? Runtime.current
    }

    /// Takes the runtime of the surroundings, while the operation is being made and no other code knows it.
    func adoptAmbientRuntime() {
        guard let ambient = InstalledRuntimes.ambient else { return }
        lock.withLock { _mutableConfiguration.runtime = ambient }
    }

    /// Takes settings over that may have a runtime of their own.
    func adopt(_ configuration: SharedConfiguration) {
        lock.withLock {
            let own = _configuration.value.runtime
            _configuration = configuration
            if let own, configuration.value.runtime == nil { _mutableConfiguration.runtime = own }
        }
    }

    /// Gives the operation a runtime of its own. Before the start.
    package func install(_ runtime: (any OperationRuntime)?) {
        InstalledRuntimes.noteUse()
        lock.withLock { _mutableConfiguration.runtime = runtime }
    }
}

extension HTTPRequestOperationManager {
    /// Gives the operations that this manager makes, or configures, from now on a runtime.
    package func install(_ runtime: (any OperationRuntime)?) {
        InstalledRuntimes.noteUse()
        withSettings { $0[\.runtime] = runtime }
    }
}
