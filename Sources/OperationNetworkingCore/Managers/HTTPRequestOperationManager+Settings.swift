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
            let own = operations.value
            configuration.transport = own.transport
            configuration.identity = own.identity
            let cookies = configuration.storages.cookies.own
            configuration.storages = own.storages
            configuration.storages.cookies.own = cookies
            configuration.limits = own.limits
            configuration.interception = own.interception
            configuration.completionQueue = own.completionQueue
            configuration.completionGroup = own.completionGroup
            if let runtime = own.runtime { configuration.runtime = runtime }
        }
    }
}
