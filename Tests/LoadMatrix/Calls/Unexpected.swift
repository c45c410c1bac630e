// SPDX-License-Identifier: MIT

/// What must not happen.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
