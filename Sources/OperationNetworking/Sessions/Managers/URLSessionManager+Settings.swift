// SPDX-License-Identifier: MIT
internal import Foundation

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
    struct Settings {
        var tasks: ManagedTask.Settings
        var securityPolicy = SecurityPolicy.default()
        var clientIdentity: ClientIdentity?
        var proxyConfiguration: ProxyConfiguration?
        /// Changes with the three above, which a session gets when it is made.
        var revision = 0
        /// What the tasks run on; nil: what all run on.
        var runtime: (any OperationRuntime)?
        /// Nil: the shared one.
        var reachabilityManager: NetworkReachabilityManager?

        init() {
            let serializer = JSONResponseSerializer()
            tasks = ManagedTask.Settings(serializer: serializer, operationSerializer: serializer)
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

/// A response serializer that is none of the library's classes, as operations take it.
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
