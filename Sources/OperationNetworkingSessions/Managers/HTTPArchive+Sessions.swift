// SPDX-License-Identifier: MIT
public import OperationNetworkingCore

extension HTTPArchive {
    /// Records the tasks that a session manager makes from now on, when they finish. A task's handler may run a moment before
    /// it is in the archive.
    public func record(_ manager: URLSessionManager) {
        manager.withSettings { settings in
            if !settings.archives.contains(where: { $0 === self }) { settings.archives.append(self) }
        }
    }
}
