// SPDX-License-Identifier: MIT
import Foundation
import Testing

/// Asks again until the answer is right, up to so many seconds. Returns the last answer.
func eventually<Value: Sendable>(
    within seconds: TimeInterval = 20, _ question: () async throws -> Value, until isRight: (Value) throws -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> Value {
    let end = Date() + seconds
    while true {
        let value = try await question()
        if try isRight(value) { return value }
        guard Date() < end else {
            Issue.record("still \(value) after \(Int(seconds)) seconds", sourceLocation: sourceLocation)
            return value
        }
        try await Task.sleep(nanoseconds: 5_000_000)
    }
}
