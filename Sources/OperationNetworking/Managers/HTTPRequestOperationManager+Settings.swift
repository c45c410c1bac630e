// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation

extension HTTPRequestOperationManager {
    /// Everything that can be set on a manager.
    struct Settings: ManagerSettings {
        var requestSerializer = HTTPRequestSerializer()
        var responseSerializer: HTTPResponseSerializer = JSONResponseSerializer()
        var operationQueue: OperationQueue = RequestOperationQueue()
        var sendsAuthorizationToOtherOrigins = false
        /// Nil: the shared one.
        var reachabilityManager: NetworkReachabilityManager?
        /// The archives that record the operations.
        var archives: [HTTPArchive] = []
        var operations = Self.initialConfiguration()

        /// Gives a manager's settings to an operation that has settings already.
        func apply(to configuration: inout Configuration) {
            configuration.shouldUseCredentialStorage = operations.value.shouldUseCredentialStorage
            configuration.credential = operations.value.credential
            configuration.clientIdentity = operations.value.clientIdentity
            configuration.proxies = operations.value.proxies
            configuration.connections = operations.value.connections
            configuration.strictTransportSecurity = operations.value.strictTransportSecurity
            configuration.cookies.managers = operations.value.cookies.managers
            configuration.cache = operations.value.cache
            configuration.securityPolicy = operations.value.securityPolicy
            configuration.completionQueue = operations.value.completionQueue
            configuration.completionGroup = operations.value.completionGroup
            configuration.maximumResponseBodySize = operations.value.maximumResponseBodySize
            configuration.totalTimeout = operations.value.totalTimeout
            configuration.resendsNonIdempotentRequests = operations.value.resendsNonIdempotentRequests
            configuration.retryPolicy = operations.value.retryPolicy
            configuration.interceptors = operations.value.interceptors
            configuration.authorizedOrigin = operations.value.authorizedOrigin
            if let runtime = operations.value.runtime { configuration.runtime = runtime }
        }
    }
}
