// SPDX-License-Identifier: MIT
internal import Foundation

/// The operations that are not the library's and ended last, of those that had waited for others of their kind.
///
/// A finished operation of Foundation's retains what it depended on. Where each retains the one before, the last one
/// releases all of them by calls within calls, and a chain of some ten thousand is too long for the stack. So one that
/// `limit` others have followed gives its dependencies up.
struct EndedForeignOperations {
    /// The number of operations that keep their dependencies. They are there to be read once an operation has ended, in
    /// its completion block say, which Foundation calls some time later.
    static let limit = 500

    private struct Reference {
        weak var operation: Operation?
    }
    private var references: [Reference] = []
    private var oldest = 0

    /// Notes one that ended. Returns the one that is to give its dependencies up now.
    mutating func append(_ operation: Operation) -> Operation? {
        guard references.count == Self.limit else {
            references.append(Reference(operation: operation))
            return nil
        }
        let leaving = references[oldest].operation
        references[oldest] = Reference(operation: operation)
        oldest = (oldest + 1) % Self.limit
        return leaving
    }
}
