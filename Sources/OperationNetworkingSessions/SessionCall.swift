// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// The end of a task for one of the functions `data(for:)`, `upload(for:)` and `download(for:)`, which waits for it.
final class SessionCall: Sendable {
    private let file = Locked<URL?>(nil)
    private let finish: @Sendable (SessionTaskResult, URL?) -> Void

    /// - Parameter finish: takes the result, and the file of a download, once, on a thread of the library's.
    init(_ finish: @escaping @Sendable (SessionTaskResult, URL?) -> Void) {
        self.finish = finish
    }

    /// Takes a download's file from its task: what a function returns stays.
    func keep(_ location: URL) {
        let kept = SessionDownloadFile.newLocation()
        guard (try? FileManager.default.moveItem(at: location, to: kept)) != nil else { return }
        file.withLock { $0 = kept }
    }

    func end(_ result: SessionTaskResult) {
        let file = file.withLock { $0.take() }
        // No caller gets the file of a download that was cancelled too late.
        if result.error != nil, let file { SessionDownloadFile.removeTarget(file) }
        finish(result, result.error == nil ? file : nil)
    }
}
