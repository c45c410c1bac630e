// SPDX-License-Identifier: MIT
internal import Foundation

extension Operation {
    /// What an operation that is not the library's waits for.
    var openDependencies: [Operation] { dependencies.filter { !$0.isFinished && !($0 is TurnOperation) } }

    /// Gives up all dependencies.
    func removeAllDependencies() {
        // From the last one on: what is left need not move up.
        for upstream in dependencies.reversed() { removeDependency(upstream) }
    }
}
