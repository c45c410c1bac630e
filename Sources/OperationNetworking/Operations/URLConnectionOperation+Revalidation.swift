// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

extension URLConnectionOperation {
    /// An operation that nobody waits for: it asks the server whether what is stored for a request is still so.
    ///
    /// - Parameter settings: those of the operation that was given the stored response.
    convenience init(revalidating request: URLRequest, _ settings: SharedConfiguration) {
        var request = request
        request.cachePolicy = .reloadRevalidatingCacheData
        self.init(request: request)
        var own = settings.value
        own.outputStream = nil
        own.downloadDestination = nil
        own.uploadProgress = nil
        own.downloadProgress = nil
        own.challengeBlock = nil
        own.redirectBlock = nil
        own.completionGroup = nil
        own.userInfo = [:]
        lock.withLock { _configuration = own }
    }
}
