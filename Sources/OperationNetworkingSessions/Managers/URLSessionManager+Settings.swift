// SPDX-License-Identifier: MIT
internal import Foundation
public import OperationNetworkingCore

/// A type that has a response serializer. ``HTTPSessionManager`` has one of a narrower type than ``URLSessionManager``,
/// which a property of a class does not allow.
public protocol ResponseSerializing: AnyObject {}

extension ResponseSerializing where Self: URLSessionManager {
    /// The serializer that parses responses. It is taken when a task is made. A `JSONResponseSerializer` by default.
    /// AF: `responseSerializer`.
    public var responseSerializer: any URLResponseSerialization {
        get { taskSettings.tasks.serializer }
        set { setResponseSerializer(newValue) }
    }
}

extension URLSessionManager {
    /// Everything that can be set on a session manager.
    struct Settings: ManagerSettings {
        var tasks: ManagedTask.Settings
        /// The manager's settings for its tasks' operations: see `configuration(over:)`.
        var operations = Self.initialConfiguration()
        /// Changes with everything here.
        fileprivate(set) var revision: UInt = 0
        /// The runtime of the tasks; nil: the runtime that all tasks use.
        var runtime: (any OperationRuntime)?
        /// Only of managers that have a base URL.
        var sendsAuthorizationToOtherOrigins = false
        /// The only origin for the data that identify the manager's user, unless the above is set; nil: any origin.
        var confiningOrigin: String?
        /// The archives that record the tasks.
        var archives: [HTTPArchive] = []
        /// Nil: the shared one.
        var reachabilityManager: NetworkReachabilityManager?

        init() {
            let serializer = JSONResponseSerializer()
            tasks = ManagedTask.Settings(serializer: serializer, operationSerializer: serializer)
        }

        /// Returns the configuration that the operations of tasks share: that of a session, and over it the manager's
        /// settings.
        func configuration(
            over session: URLConnectionOperation.SharedConfiguration
        ) -> URLConnectionOperation.SharedConfiguration {
            var configuration = session.value
            let own = operations.value
            configuration.transport = own.transport
            configuration.limits = own.limits
            // Where the session's configuration has a say as well.
            if own.transport.proxies == nil { configuration.transport.proxies = session.value.transport.proxies }
            if own.limits.totalTimeout == nil { configuration.limits.totalTimeout = session.value.limits.totalTimeout }
            configuration.identity.clientIdentity = own.identity.clientIdentity
            let showsIdentityAnywhere = own.identity.clientIdentity == nil || sendsAuthorizationToOtherOrigins
            configuration.identity.identityOrigin = showsIdentityAnywhere ? nil : confiningOrigin
            configuration.interception = own.interception
            let isConfined = !own.interception.interceptors.isEmpty && !sendsAuthorizationToOtherOrigins
            configuration.interception.authorizedOrigin = isConfined ? confiningOrigin : nil
            return URLConnectionOperation.SharedConfiguration(configuration)
        }

        mutating func noteChange() { revision &+= 1 }
    }

    /// The settings that a task is made of. An object never changes: a new one is made when it is needed after a
    /// change.
    final class Present: Sendable {
        /// The session's configuration, which `configuration` is made of.
        let sessionConfiguration: URLConnectionOperation.SharedConfiguration
        let configuration: URLConnectionOperation.SharedConfiguration
        /// The same without what sends requests again, for tasks with Foundation's semantics. An interceptor may ask
        /// for a token by one of these, which must not wait for that token.
        let plainConfiguration: URLConnectionOperation.SharedConfiguration
        let tasks: ManagedTask.Settings
        let archives: [HTTPArchive]

        init(_ settings: Settings, over session: URLConnectionOperation.SharedConfiguration) {
            sessionConfiguration = session
            configuration = settings.configuration(over: session)
            plainConfiguration = Self.plain(configuration)
            tasks = settings.tasks
            archives = settings.archives
        }

        private static func plain(
            _ configuration: URLConnectionOperation.SharedConfiguration
        ) -> URLConnectionOperation.SharedConfiguration {
            var plain = configuration.value
            guard !plain.interception.isEmpty else { return configuration }
            plain.interception = URLConnectionOperation.Interception()
            return URLConnectionOperation.SharedConfiguration(plain)
        }
    }

    func setResponseSerializer(_ serializer: any URLResponseSerialization) {
        let operationSerializer = serializer as? HTTPResponseSerializer ?? AdoptedResponseSerializer(serializer)
        withSettings { settings in
            settings.tasks.serializer = serializer
            settings.tasks.operationSerializer = operationSerializer
        }
    }
}

/// A response serializer of another class than the library's, as operations take it.
// Sendable because nothing in it changes after `init`.
final class AdoptedResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {
    private let serializer: any URLResponseSerialization

    init(_ serializer: any URLResponseSerialization) {
        self.serializer = serializer
        super.init()
    }

    /// For Foundation's sake: nothing to adopt.
    override init() {
        serializer = HTTPResponseSerializer.anyStatus
        super.init()
    }

    /// Cannot be archived: what it stands for may be anything.
    required init?(coder: NSCoder) { nil }

    override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        try serializer.responseObject(for: response, data: data)
    }

    /// The same object, since it cannot be changed.
    override func copy(with zone: NSZone? = nil) -> Any { self }
}
