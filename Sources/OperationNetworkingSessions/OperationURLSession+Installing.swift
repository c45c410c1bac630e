// SPDX-License-Identifier: MIT
internal import NetworkingSupport
package import OperationNetworkingCore

extension OperationURLSession {
    /// Gives the tasks that are made from now on a runtime.
    package func install(_ runtime: (any OperationRuntime)?) {
        InstalledRuntimes.noteUse()
        installedRuntime.withLock { $0 = runtime }
    }
}

extension URLSessionManager {
    /// Gives the tasks that this manager makes from now on a runtime, also those of a session that takes the present
    /// one's place.
    package func install(_ runtime: (any OperationRuntime)?) {
        InstalledRuntimes.noteUse()
        withSettings { $0.runtime = runtime }
        ownSession.install(runtime)
    }
}
