// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

// What AFNetworking has, or had in its first version, and Linux has no way to. Here so that the compiler says what takes its
// place where the call is written. The members are there because it looks for them before it says so.

extension NetworkReachabilityManager {
    /// There is no SystemConfiguration on Linux.
    @available(
        *, unavailable, message: "there is no SCNetworkReachability on Linux: use init(domain:) or init(address:)"
    )
    public convenience init(reachability: Any) { self.init(domain: "") }
}

/// In the module AFNetworkingUIKit.
@available(*, unavailable, message: "import AFNetworkingUIKit: this needs an image library")
public final class AFImageResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {
    /// In the module AFNetworkingUIKit.
    public var imageScale: Double { 1 }
}

/// AFNetworking 1's client.
@available(*, unavailable, message: "AFNetworking 1: AFHTTPRequestOperationManager takes its place")
public final class AFHTTPClient {
    /// AFNetworking 1's blocks.
    public typealias Success = (AFHTTPRequestOperation, AnyObject) -> Void
    /// AFNetworking 1's blocks.
    public typealias Failure = (AFHTTPRequestOperation, NSError) -> Void

    /// `AFHTTPRequestOperationManager(baseURL:)`.
    public init(baseURL: URL) {}
    /// `get(_:parameters:success:failure:)`.
    public func getPath(_ path: String, parameters: [String: Any]?, success: Success?, failure: Failure?) {}
    /// `post(_:parameters:success:failure:)`.
    public func postPath(_ path: String, parameters: [String: Any]?, success: Success?, failure: Failure?) {}
    /// `put(_:parameters:success:failure:)`.
    public func putPath(_ path: String, parameters: [String: Any]?, success: Success?, failure: Failure?) {}
    /// `patch(_:parameters:success:failure:)`.
    public func patchPath(_ path: String, parameters: [String: Any]?, success: Success?, failure: Failure?) {}
    /// `delete(_:parameters:success:failure:)`.
    public func deletePath(_ path: String, parameters: [String: Any]?, success: Success?, failure: Failure?) {}
    /// `requestSerializer.setValue(_:forHTTPHeaderField:)`.
    public func setDefaultHeader(_ header: String, value: String) {}
    /// `requestSerializer.setAuthorizationHeaderFieldWithUsername(_:password:)`.
    public func setAuthorizationHeaderWithUsername(_ username: String, password: String) {}
    /// `requestSerializer.clearAuthorizationHeader()`.
    public func clearAuthorizationHeader() {}
    /// `operationQueue.addOperation(_:)`.
    public func enqueueHTTPRequestOperation(_ operation: AFHTTPRequestOperation) {}
    /// `cancelAllHTTPOperations(method:path:)`.
    public func cancelAllHTTPOperationsWithMethod(_ method: String?, path: String?) {}
}

/// AFNetworking 1's operation for JSON.
@available(
    *, unavailable,
    message: "AFNetworking 1: use AFHTTPRequestOperation, with responseSerializer = AFJSONResponseSerializer()"
)
public final class AFJSONRequestOperation {
    /// `AFHTTPRequestOperation(request:)`, and `setCompletionBlockWithSuccess(_:failure:)`.
    public init(
        request: URLRequest, success: ((URLRequest, HTTPURLResponse, AnyObject) -> Void)?,
        failure: ((URLRequest, HTTPURLResponse?, NSError, AnyObject?) -> Void)?
    ) {}
    /// `AFHTTPRequestOperation(request:)`.
    public init(request: URLRequest) {}
    /// `responseObject`.
    public var responseJSON: AnyObject? { nil }
    /// `start()`.
    public func start() {}
}

/// AFNetworking 1's operation for XML.
@available(
    *, unavailable,
    message: "AFNetworking 1: use AFHTTPRequestOperation, with responseSerializer = AFXMLParserResponseSerializer()"
)
public final class AFXMLRequestOperation {
    /// `AFHTTPRequestOperation(request:)`.
    public init(request: URLRequest) {}
    /// `start()`.
    public func start() {}
}

/// AFNetworking 1's operation for images.
@available(*, unavailable, message: "AFNetworking 1: use ImageDownloader of OperationNetworkingImages")
public final class AFImageRequestOperation {
    /// `ImageDownloader.downloadImage(for:receiptID:success:failure:)`.
    public init(request: URLRequest) {}
    /// `start()`.
    public func start() {}
}
