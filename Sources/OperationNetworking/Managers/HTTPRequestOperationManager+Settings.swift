internal import Dispatch
internal import Foundation

extension HTTPRequestOperationManager {
    /// Everything that can be set on a manager.
    struct Settings {
        typealias Configuration = URLConnectionOperation.Configuration

        var requestSerializer = HTTPRequestSerializer()
        var responseSerializer: HTTPResponseSerializer = JSONResponseSerializer()
        var operationQueue: OperationQueue = RequestOperationQueue()
        /// What operations are made with, and share until they are told something else.
        private(set) var operations: URLConnectionOperation.SharedConfiguration
        var securityPolicy: SecurityPolicy {
            didSet { set(\.securityPolicy, securityPolicy) }
        }

        init() {
            securityPolicy = SecurityPolicy.default()
            var configuration = Configuration()
            configuration.securityPolicy = securityPolicy
            operations = URLConnectionOperation.SharedConfiguration(configuration)
        }

        /// One of the operations' settings.
        subscript<Value>(_ setting: WritableKeyPath<Configuration, Value>) -> Value {
            get { operations.value[keyPath: setting] }
            set { set(setting, newValue) }
        }

        private mutating func set<Value>(_ setting: WritableKeyPath<Configuration, Value>, _ value: Value) {
            var configuration = operations.value
            configuration[keyPath: setting] = value
            operations = URLConnectionOperation.SharedConfiguration(configuration)
        }

        /// Gives an operation that was told something already the settings a manager has.
        func apply(to configuration: inout Configuration) {
            configuration.shouldUseCredentialStorage = operations.value.shouldUseCredentialStorage
            configuration.credential = operations.value.credential
            configuration.clientIdentity = operations.value.clientIdentity
            configuration.securityPolicy = operations.value.securityPolicy
            configuration.completionQueue = operations.value.completionQueue
            configuration.completionGroup = operations.value.completionGroup
        }
    }
}
