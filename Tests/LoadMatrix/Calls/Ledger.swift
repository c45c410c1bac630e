// SPDX-License-Identifier: MIT
import Foundation
import TestServer

/// Counts of one face.
struct Tally: Sendable {
    var requests = 0
    var succeeded = 0
    var cancelled = 0
    var failed = 0
    var bytes = 0
    var seconds = 0.0
    /// Memory in use after its cells, less that before.
    var kept = 0

    static func += (left: inout Tally, right: Tally) {
        left.requests += right.requests
        left.succeeded += right.succeeded
        left.cancelled += right.cancelled
        left.failed += right.failed
        left.bytes += right.bytes
        left.seconds += right.seconds
        left.kept += right.kept
    }
}

/// Which calls are open, what came of the others, and what was found.
final class Ledger: Sendable {
    private struct State {
        var open: [ObjectIdentifier: String] = [:]
        var answers = 0
        var tally = Tally()
        var findings: [String] = []
        var watched: [(name: String, object: WeakReference)] = []
        /// Of open calls, by their names, where they made one.
        var objects: [String: WeakReference] = [:]
        var dice = Dice(seed: 1)
    }

    struct WeakReference: @unchecked Sendable {
        // Weak references may be read on any thread.
        weak var object: AnyObject?
    }

    private let state = Guarded(State())

    // MARK: Calls

    func opened(_ name: String, _ answer: Answer) {
        state.withLock { $0.open[ObjectIdentifier(answer)] = name }
    }

    func answered(_ answer: Answer) {
        state.withLock { state in
            if let name = state.open.removeValue(forKey: ObjectIdentifier(answer)) { state.objects[name] = nil }
            state.answers += 1
        }
    }

    /// How many answers there were in all: it stands still while there is no progress.
    var answers: Int { state.withLock { $0.answers } }

    var open: [String] { state.withLock { Array($0.open.values) } }

    /// What an open call has made, in its own words.
    func description(ofObjectOf name: String) -> String {
        let object = state.withLock { $0.objects[name]?.object }
        return object.map { "\($0)" } ?? "nothing is left of it"
    }

    /// Nobody waits for these any more.
    func forgetOpen() { state.withLock { ($0.open, $0.objects) = ([:], [:]) } }

    func add(_ tally: Tally) { state.withLock { $0.tally += tally } }

    func takeTally() -> Tally {
        state.withLock { state in
            defer { state.tally = Tally() }
            return state.tally
        }
    }

    // MARK: Findings

    func found(_ what: String) {
        state.withLock { state in
            if state.findings.count < 20 { state.findings.append(what) }
        }
    }

    func takeFindings() -> [String] {
        state.withLock { state in
            defer { state.findings = [] }
            return state.findings
        }
    }

    // MARK: Objects

    /// Some of the objects that calls make are looked at again: nothing keeps them when the cell has ended.
    func watch(_ object: AnyObject, _ name: String) {
        state.withLock { state in
            if state.open.values.contains(name) { state.objects[name] = WeakReference(object: object) }
            guard state.dice.once(in: 16) || state.watched.count < 64, state.watched.count < 2_000 else {
                return
            }
            state.watched.append((name, WeakReference(object: object)))
        }
    }

    /// Names of those that are still there, and what they are.
    var survivors: [String] {
        state.withLock { state in
            state.watched.removeAll { $0.object.object == nil }
            return state.watched.map { watched in
                "\(watched.name): \(watched.object.object.map { "\(type(of: $0))" } ?? "gone")"
            }
        }
    }

    func forgetWatched() { state.withLock { $0.watched = [] } }
}
