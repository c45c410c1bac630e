// SPDX-License-Identifier: MIT
public import Foundation

// MARK: Operations

/// AFNetworking's name of `URLConnectionOperation`.
public typealias AFURLConnectionOperation = URLConnectionOperation
/// The first argument of AFNetworking's redirect, challenge and cache blocks. Here it is the operation itself.
public typealias NSURLConnection = URLConnectionOperation
/// AFNetworking's name of `HTTPRequestOperation`.
public typealias AFHTTPRequestOperation = HTTPRequestOperation
/// AFNetworking's name of `HTTPRequestOperationManager`.
public typealias AFHTTPRequestOperationManager = HTTPRequestOperationManager

// MARK: Sessions

/// AFNetworking's name of `URLSessionManager`.
public typealias AFURLSessionManager = URLSessionManager
/// AFNetworking's name of `HTTPSessionManager`.
public typealias AFHTTPSessionManager = HTTPSessionManager

// MARK: Security

/// AFNetworking's name of `SecurityPolicy`.
public typealias AFSecurityPolicy = SecurityPolicy
/// AFNetworking's name of `SSLPinningMode`.
public typealias AFSSLPinningMode = SSLPinningMode

// MARK: Requests

/// AFNetworking's name of `URLRequestSerialization`.
public typealias AFURLRequestSerialization = URLRequestSerialization
/// AFNetworking's name of `HTTPRequestSerializer`.
public typealias AFHTTPRequestSerializer = HTTPRequestSerializer
/// AFNetworking's name of `JSONRequestSerializer`.
public typealias AFJSONRequestSerializer = JSONRequestSerializer
/// AFNetworking's name of `PropertyListRequestSerializer`.
public typealias AFPropertyListRequestSerializer = PropertyListRequestSerializer
/// AFNetworking's name of `MultipartFormData`.
public typealias AFMultipartFormData = MultipartFormData

// MARK: Responses

/// AFNetworking's name of `URLResponseSerialization`.
public typealias AFURLResponseSerialization = URLResponseSerialization
/// AFNetworking's name of `HTTPResponseSerializer`.
public typealias AFHTTPResponseSerializer = HTTPResponseSerializer
/// AFNetworking's name of `JSONResponseSerializer`.
public typealias AFJSONResponseSerializer = JSONResponseSerializer
/// AFNetworking's name of `PropertyListResponseSerializer`.
public typealias AFPropertyListResponseSerializer = PropertyListResponseSerializer
/// AFNetworking's name of `XMLParserResponseSerializer`.
public typealias AFXMLParserResponseSerializer = XMLParserResponseSerializer
/// AFNetworking's name of `XMLDocumentResponseSerializer`.
public typealias AFXMLDocumentResponseSerializer = XMLDocumentResponseSerializer
/// AFNetworking's name of `CompoundResponseSerializer`.
public typealias AFCompoundResponseSerializer = CompoundResponseSerializer

// MARK: Reachability and activity

/// AFNetworking's name of `NetworkReachabilityManager`.
public typealias AFNetworkReachabilityManager = NetworkReachabilityManager
/// AFNetworking's name of `NetworkReachabilityManager.Status`.
public typealias AFNetworkReachabilityStatus = NetworkReachabilityManager.Status
/// AFNetworking's name of `NetworkActivityManager`.
public typealias AFNetworkActivityIndicatorManager = NetworkActivityManager

// MARK: Foundation

/// A pointer for a method's error, in code from before errors were thrown. Foundation on Linux has no such type.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
