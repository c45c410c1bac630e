// SPDX-License-Identifier: MIT
internal import Foundation

/// What the settings of both kinds of managers have in common.
protocol ManagerSettings {
    /// What operations are made with, and share until they are told something else.
    var operations: URLConnectionOperation.SharedConfiguration { get set }
}

extension ManagerSettings {
    typealias Configuration = URLConnectionOperation.Configuration

    /// What `operations` is at first.
    static func initialConfiguration() -> URLConnectionOperation.SharedConfiguration {
        var configuration = Configuration()
        configuration.securityPolicy = SecurityPolicy.default()
        return URLConnectionOperation.SharedConfiguration(configuration)
    }

    /// One of the operations' settings.
    subscript<Value>(_ setting: WritableKeyPath<Configuration, Value>) -> Value {
        get { operations.value[keyPath: setting] }
        set {
            var configuration = operations.value
            configuration[keyPath: setting] = newValue
            operations = URLConnectionOperation.SharedConfiguration(configuration)
        }
    }

    /// A manager always has one.
    var securityPolicy: SecurityPolicy {
        get { self[\.securityPolicy] ?? .sharedDefault }
        set { self[\.securityPolicy] = newValue }
    }
}
