// SPDX-License-Identifier: MIT
internal import Foundation

/// The common part of the settings of both kinds of managers.
package protocol ManagerSettings {
    /// The configuration that operations are made with, and share until one of their settings is changed.
    var operations: URLConnectionOperation.SharedConfiguration { get set }
}

extension ManagerSettings {
    package typealias Configuration = URLConnectionOperation.Configuration

    /// Returns the first value of `operations`.
    package static func initialConfiguration() -> URLConnectionOperation.SharedConfiguration {
        var configuration = Configuration()
        configuration.transport.securityPolicy = SecurityPolicy.default()
        return URLConnectionOperation.SharedConfiguration(configuration)
    }

    /// One of the operations' settings.
    package subscript<Value>(_ setting: WritableKeyPath<Configuration, Value>) -> Value {
        get { operations.value[keyPath: setting] }
        set {
            var configuration = operations.value
            configuration[keyPath: setting] = newValue
            operations = URLConnectionOperation.SharedConfiguration(configuration)
        }
    }

    /// The policy, which a manager always has.
    package var securityPolicy: SecurityPolicy {
        get { self[\.transport.securityPolicy] ?? .sharedDefault }
        set { self[\.transport.securityPolicy] = newValue }
    }
}
