// SPDX-License-Identifier: MIT
internal import Foundation

/// Something went otherwise than it should.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws unless `condition` holds.
func expect(_ condition: Bool, _ expectation: @autoclosure () -> String) throws {
    guard condition else { throw DemoFailure(expectation()) }
}
