// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// An operation as it is archived: plain values, checked by `Codable` when they are read.
///
/// Not in it: blocks, streams, queues, groups, credentials, client identities, dependencies, and user name and password
/// of the URL. A request whose content was a stream is archived without it, and fails with a clear error when it is
/// started.
struct OperationArchive: Codable {
    struct Request: Codable {
        var url: String?
        var mainDocumentURL: String?
        var method: String?
        var headers: [String: String]
        var body: Data?
        var losesBodyStream: Bool
        var timeoutInterval: TimeInterval
        var cachePolicy: UInt
        var networkServiceType: UInt
        var allowsCellularAccess: Bool
        var handlesCookies: Bool
    }

    struct Response: Codable {
        var url: String
        var statusCode: Int
        var httpVersion: String
        var rawFields: [UInt8]
    }

    struct Failure: Codable {
        var domain: String
        var code: Int
        var message: String
    }

    var request: Request
    var state: Int
    var isCancelled: Bool
    var response: Response?
    /// The whole content of a finished operation, or what a paused one had received in memory.
    var content: Data?
    var failure: Failure?
    var representation: Representation?
    var downloadDestination: DownloadDestination?
    /// True if there was a destination that was not set again after an earlier archive. Nil: there was none, or an
    /// earlier version of the library made the archive.
    var losesDownloadDestination: Bool?
    var shouldUseCredentialStorage: Bool
    var maximumResponseBodySize: Int64?
    var totalTimeout: TimeInterval?
    var dependencyFailurePolicy: DependencyFailurePolicy
    var dependentsWaitForCompletionBlocks: Bool
    /// The policy, and whether one was set that could not be archived.
    var securityPolicy: ArchivedObject<SecurityPolicy>?
    var losesSecurityPolicy = false
    /// The serializer of an `HTTPRequestOperation`, likewise.
    var responseSerializer: ArchivedObject<HTTPResponseSerializer>?
    var losesResponseSerializer = false

    /// The properties that this archive does not hold, or an earlier one did not.
    var lostProperties: Set<UnarchivedProperty> {
        get {
            var lost: Set<UnarchivedProperty> = []
            if request.losesBodyStream { lost.insert(.bodyStream) }
            if losesSecurityPolicy { lost.insert(.securityPolicy) }
            if losesResponseSerializer { lost.insert(.responseSerializer) }
            if losesDownloadDestination == true { lost.insert(.downloadDestination) }
            return lost
        }
        set {
            request.losesBodyStream = newValue.contains(.bodyStream)
            losesSecurityPolicy = newValue.contains(.securityPolicy)
            losesResponseSerializer = newValue.contains(.responseSerializer)
            losesDownloadDestination = newValue.contains(.downloadDestination) ? true : nil
        }
    }

    static let key = "operation"

    init?(coder: NSCoder) {
        guard let archive = ArchiveBlob.decode(OperationArchive.self, with: coder, forKey: Self.key),
            archive.isConsistent
        else {
            coder.failWithError(Self.damaged(nil))
            return nil
        }
        self = archive
    }

    /// True if an operation can have all these values. What a request may not have is found when it is started.
    var isConsistent: Bool {
        guard OperationState(rawValue: state) != nil else { return false }
        if let response {
            guard 100...999 ~= response.statusCode, response.httpVersion.utf8.count <= 3,
                response.httpVersion.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") })
            else { return false }
        }
        if let representation {
            guard representation.offset >= 0,
                representation.totalLength.map({ $0 >= Int64(content?.count ?? 0) }) ?? true,
                Representation.isValidator(representation.validator)
            else { return false }
        }
        return true
    }

    static func damaged(_ underlying: (any Error)?) -> CocoaError {
        CocoaError(
            .coderReadCorrupt, reason: "the archive holds no operation, or a damaged one",
            userInfo: underlying.map { [NSUnderlyingErrorKey: $0] } ?? [:])
    }

    init(
        request: URLRequest, state: OperationState, isCancelled: Bool,
        configuration: URLConnectionOperation.Configuration
    ) {
        self.request = Request(request)
        self.state = state.rawValue
        self.isCancelled = isCancelled
        downloadDestination = configuration.downloadDestination
        shouldUseCredentialStorage = configuration.storages.shouldUseCredentialStorage
        maximumResponseBodySize = configuration.limits.maximumResponseBodySize
        totalTimeout = configuration.limits.totalTimeout
        dependencyFailurePolicy = configuration.dependencyFailurePolicy
        dependentsWaitForCompletionBlocks = configuration.dependentsWaitForCompletionBlocks
    }
}

extension OperationArchive.Request {
    init(_ request: URLRequest) {
        url = request.url?.withoutUserInfo.absoluteString
        mainDocumentURL = request.mainDocumentURL?.withoutUserInfo.absoluteString
        method = request.httpMethod
        headers = request.allHTTPHeaderFields ?? [:]
        body = request.httpBody
        losesBodyStream = request.httpBodyStream != nil
        timeoutInterval = request.timeoutInterval
        cachePolicy = request.cachePolicy.rawValue
        networkServiceType = request.networkServiceType.rawValue
        allowsCellularAccess = request.allowsCellularAccess
        handlesCookies = request.httpShouldHandleCookies
    }

    var urlRequest: URLRequest {
        var result = URLRequest(url: url.flatMap { URL(escaping: $0) } ?? URL(fileURLWithPath: "/"))
        if url == nil { result.url = nil }
        result.mainDocumentURL = mainDocumentURL.flatMap { URL(escaping: $0) }
        result.httpMethod = method
        result.allHTTPHeaderFields = headers
        result.httpBody = body
        result.timeoutInterval = timeoutInterval
        result.cachePolicy = URLRequest.CachePolicy(rawValue: cachePolicy) ?? .useProtocolCachePolicy
        result.networkServiceType = URLRequest.NetworkServiceType(rawValue: networkServiceType) ?? .default
        result.allowsCellularAccess = allowsCellularAccess
        result.httpShouldHandleCookies = handlesCookies
        return result
    }
}

/// The reason that an operation from an archive cannot run as it is: what an archive cannot hold has to be set again.
enum UnarchivedProperty: Error, LocalizedError, CustomStringConvertible, _BridgedError {
    case bodyStream, securityPolicy, responseSerializer, downloadDestination

    var errorDescription: String? { description }

    var description: String {
        switch self {
        case .bodyStream:
            "the request's content was a stream, which an archive does not hold; set inputStream before the start"
        case .securityPolicy:
            "the security policy could not be archived, or is damaged; set securityPolicy before the start"
        case .responseSerializer:
            "the response serializer could not be archived, or is damaged; set responseSerializer"
        case .downloadDestination:
            "an archive does not decide which file is written; set downloadDestination before the start"
        }
    }
}
