// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

extension URLConnectionOperation {
    /// A fresh operation with this one's request and configuration.
    func makeCopy() -> URLConnectionOperation {
        let (request, configuration, unarchived) = lock.withLock {
            (_unedited ?? _request, _configuration, _unarchivedProperties)
        }
        var own = request
        if let stream = request.httpBodyStream as? any ReplayableBodyStream, let replay = try? stream.makeReplay() {
            own.httpBodyStream = replay
        }
        let copy = type(of: self).init(request: own)
        copy.adopt(configuration)
        copy.lock.withLock {
            // A copy does not run under the default policy because its original had lost its own.
            copy._unarchivedProperties = unarchived
            // A stream is used by one operation only.
            if configuration.value.outputStream != nil { copy._mutableConfiguration.outputStream = nil }
            if configuration.value.stream != nil { copy._mutableConfiguration.stream = nil }
        }
        copy.name = name
        copy.queuePriority = queuePriority
        copy.qualityOfService = qualityOfService
        return copy
    }
}
