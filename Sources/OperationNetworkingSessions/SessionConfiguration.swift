// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// The configuration that a session of this library shows. A session of Foundation's that is made with it loads by this
/// library, too: Foundation keeps the copy that it makes, and asks that for the protocol classes of each task.
///
/// Each copy has its own protocol class, and its own session that stands in for Foundation's.
// Sendable because its fields are behind locks, and all else is Foundation's.
final class SessionConfiguration: URLSessionConfiguration, @unchecked Sendable {
    private let place = Locked<SessionProtocolPlace?>(nil)
    private let standIn = Locked<OperationURLSession?>(nil)

    /// Foundation wants `URLSessionConfiguration.default` to be called in its place, which makes no object of a
    /// subclass.
    @available(*, deprecated) override init() { super.init() }

    /// A copy of a configuration.
    ///
    /// - Parameter place: the protocol class of a session's own tasks; nil: the copy gets one when it is asked.
    static func make(of other: URLSessionConfiguration, _ place: SessionProtocolPlace? = nil) -> SessionConfiguration {
        let copy = made(SessionConfiguration.self)
        copy.take(from: other)
        if let place { copy.place.withLock { $0 = place } }
        return copy
    }

    override func copy(with zone: NSZone?) -> Any { Self.make(of: self) }

    /// The session that loads for sessions of Foundation's which have this configuration. It is made of it when it is
    /// first needed, and goes with it.
    var standInSession: OperationURLSession {
        if let known = standIn.withLock({ $0 }) { return known }
        let new = OperationURLSession(configuration: self)
        return standIn.withLock { session in
            // Another thread's.
            if let known = session { return known }
            session = new
            return new
        }
    }

    /// The protocol classes, with this library's first. A request that one of the user's own classes takes goes to that
    /// class by the session's task.
    override var protocolClasses: [AnyClass]? {
        get { [ownPlace.protocolClass] + (super.protocolClasses ?? []) }
        set { super.protocolClasses = newValue?.filter { !($0 is SessionURLProtocol.Type) } }
    }

    private var ownPlace: SessionProtocolPlace {
        if let known = place.withLock({ $0 }) { return known }
        let new = SessionProtocolPlace()
        new.belong(to: self)
        return place.withLock { place in
            if let known = place { return known }
            place = new
            return new
        }
    }
}

extension URLSessionConfiguration {
    /// A copy that is Foundation's alone: without this library's protocol classes.
    func plainCopy() -> URLSessionConfiguration {
        let copy = URLSessionConfiguration.ephemeral
        copy.take(from: self)
        copy.protocolClasses = protocolClasses?.filter { !($0 is SessionURLProtocol.Type) }
        return copy
    }

    /// Takes over every setting.
    fileprivate func take(from other: URLSessionConfiguration) {
        identifier = other.identifier
        requestCachePolicy = other.requestCachePolicy
        timeoutIntervalForRequest = other.timeoutIntervalForRequest
        timeoutIntervalForResource = other.timeoutIntervalForResource
        networkServiceType = other.networkServiceType
        allowsCellularAccess = other.allowsCellularAccess
        isDiscretionary = other.isDiscretionary
        connectionProxyDictionary = other.connectionProxyDictionary
        httpShouldSetCookies = other.httpShouldSetCookies
        httpCookieAcceptPolicy = other.httpCookieAcceptPolicy
        httpAdditionalHeaders = other.httpAdditionalHeaders
        httpMaximumConnectionsPerHost = other.httpMaximumConnectionsPerHost
        httpCookieStorage = other.httpCookieStorage
        urlCredentialStorage = other.urlCredentialStorage
        urlCache = other.urlCache
        takeDeprecated(from: other)
        protocolClasses = other.protocolClasses
    }
}

/// The settings that Foundation deprecates, but keeps.
private protocol DeprecatedSettings: AnyObject {
    var httpShouldUsePipelining: Bool { get set }
    var shouldUseExtendedBackgroundIdleMode: Bool { get set }
}

extension DeprecatedSettings {
    fileprivate func takeDeprecated(from other: any DeprecatedSettings) {
        httpShouldUsePipelining = other.httpShouldUsePipelining
        shouldUseExtendedBackgroundIdleMode = other.shouldUseExtendedBackgroundIdleMode
    }
}

extension URLSessionConfiguration: DeprecatedSettings {}

/// Makes an object by `init()` where that is deprecated, as Foundation's is for a configuration.
private protocol MadeWithoutArguments {
    init()
}

extension SessionConfiguration: MadeWithoutArguments {}

private func made<Object: MadeWithoutArguments>(_ type: Object.Type) -> Object { type.init() }
