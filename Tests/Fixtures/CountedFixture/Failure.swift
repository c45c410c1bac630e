// SPDX-License-Identifier: MIT
import Foundation

/// Ends the program: a figure of requests that failed would be the figure of something else.
func fail(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("CountedFixture: \(reason)\n".utf8))
    exit(1)
}
