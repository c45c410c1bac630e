// SPDX-License-Identifier: MIT
import AFNetworking
import Dispatch

private typealias Manager = AFHTTPRequestOperationManager
private typealias Op = AFHTTPRequestOperation

@Sendable private func old(_ operation: AFHTTPRequestOperation!, _ object: AnyObject!) {}
@Sendable private func failedOld(_ operation: AFHTTPRequestOperation!, _ error: NSError!) {}

extension Symbol {
    static var manager: [Symbol] {
        settings + creation + verbs
    }

    private static var settings: [Symbol] {
        [
            available("AFHTTPRequestOperationManager", "AFHTTPRequestOperationManager") {
                (_: AFHTTPRequestOperationManager) in
            },
            available("AFHTTPRequestOperationManager.baseURL", "baseURL") {
                (manager: Manager) in _ = typed(URL?.self, manager.baseURL)
            },
            available("AFHTTPRequestOperationManager.requestSerializer", "requestSerializer") {
                (manager: Manager) in manager.requestSerializer = AFJSONRequestSerializer()
            },
            available("AFHTTPRequestOperationManager.responseSerializer", "responseSerializer") {
                (manager: Manager) in manager.responseSerializer = AFHTTPResponseSerializer()
            },
            available("AFHTTPRequestOperationManager.operationQueue", "operationQueue") {
                (manager: Manager) in manager.operationQueue = OperationQueue()
            },
            available("AFHTTPRequestOperationManager.shouldUseCredentialStorage", "shouldUseCredentialStorage") {
                (manager: Manager) in manager.shouldUseCredentialStorage = false
            },
            available("AFHTTPRequestOperationManager.credential", "credential") {
                (manager: Manager) in manager.credential = typed(URLCredential?.self, nil)
            },
            available("AFHTTPRequestOperationManager.securityPolicy", "securityPolicy") {
                (manager: Manager) in manager.securityPolicy = AFSecurityPolicy()
            },
            available("AFHTTPRequestOperationManager.completionQueue", "completionQueue") {
                (manager: Manager) in manager.completionQueue = typed(DispatchQueue?.self, nil)
            },
            available("AFHTTPRequestOperationManager.completionGroup", "completionGroup") {
                (manager: Manager) in manager.completionGroup = typed(DispatchGroup?.self, nil)
            },
        ]
    }

    private static var creation: [Symbol] {
        [
            available("+[AFHTTPRequestOperationManager manager]", "manager()", "init()") { (_: Void) in
                _ = typed(Manager.self, AFHTTPRequestOperationManager.manager())
                _ = AFHTTPRequestOperationManager()
            },
            available("-[AFHTTPRequestOperationManager initWithBaseURL:]", "init(baseURL:)") { (url: URL?) in
                _ = AFHTTPRequestOperationManager(baseURL: url)
                _ = AFHTTPRequestOperationManager(baseURL: NSURL(string: "http://example.com/"))
            },
            available(
                "-[AFHTTPRequestOperationManager HTTPRequestOperationWithRequest:success:failure:]",
                "HTTPRequestOperationWithRequest(_:success:failure:)", "httpRequestOperation(with:success:failure:)"
            ) { (manager: Manager, request: URLRequest) in
                _ = manager.HTTPRequestOperationWithRequest(request, success: old, failure: failedOld)
                _ = manager.HTTPRequestOperationWithRequest(request as NSURLRequest, success: old, failure: failedOld)
                _ = manager.httpRequestOperation(
                    with: request, success: { (_: Op, _: Any) in }, failure: { (_: Op, _: any Error) in })
            },
        ]
    }

    private static var verbs: [Symbol] {
        [
            available(
                "-[AFHTTPRequestOperationManager GET:parameters:success:failure:]",
                "GET(_:parameters:success:failure:)", "get(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.GET("x", parameters: nil, success: old, failure: failedOld)
                manager.GET(
                    "x", parameters: nil, success: { (_: Op, _: AnyObject) in }, failure: { (_: Op?, _: NSError) in })
                manager.get(
                    "x", parameters: nil, success: { (_: Op, _: Any) in }, failure: { (_: Op?, _: any Error) in })
            },
            available(
                "-[AFHTTPRequestOperationManager POST:parameters:success:failure:]",
                "POST(_:parameters:success:failure:)", "post(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.POST("x", parameters: nil, success: old, failure: failedOld)
                manager.POST(
                    "x", parameters: nil, success: { (_: Op, _: AnyObject) in }, failure: { (_: Op?, _: NSError) in })
                manager.post(
                    "x", parameters: nil, success: { (_: Op, _: Any) in }, failure: { (_: Op?, _: any Error) in })
            },
            available(
                "-[AFHTTPRequestOperationManager PUT:parameters:success:failure:]",
                "PUT(_:parameters:success:failure:)", "put(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.PUT("x", parameters: nil, success: old, failure: failedOld)
                manager.PUT(
                    "x", parameters: nil, success: { (_: Op, _: AnyObject) in }, failure: { (_: Op?, _: NSError) in })
                manager.put(
                    "x", parameters: nil, success: { (_: Op, _: Any) in }, failure: { (_: Op?, _: any Error) in })
            },
            available(
                "-[AFHTTPRequestOperationManager PATCH:parameters:success:failure:]",
                "PATCH(_:parameters:success:failure:)", "patch(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.PATCH("x", parameters: nil, success: old, failure: failedOld)
                manager.PATCH(
                    "x", parameters: nil, success: { (_: Op, _: AnyObject) in }, failure: { (_: Op?, _: NSError) in })
                manager.patch(
                    "x", parameters: nil, success: { (_: Op, _: Any) in }, failure: { (_: Op?, _: any Error) in })
            },
            available(
                "-[AFHTTPRequestOperationManager DELETE:parameters:success:failure:]",
                "DELETE(_:parameters:success:failure:)", "delete(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.DELETE("x", parameters: nil, success: old, failure: failedOld)
                manager.DELETE(
                    "x", parameters: nil, success: { (_: Op, _: AnyObject) in }, failure: { (_: Op?, _: NSError) in })
                manager.delete(
                    "x", parameters: nil, success: { (_: Op, _: Any) in }, failure: { (_: Op?, _: any Error) in })
            },
            available(
                "-[AFHTTPRequestOperationManager HEAD:parameters:success:failure:]",
                "HEAD(_:parameters:success:failure:)", "head(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.HEAD("x", parameters: nil, success: { (_: Op!) in }, failure: failedOld)
                manager.head("x", parameters: nil, success: { (_: Op) in }, failure: { (_: Op?, _: any Error) in })
            },
            available(
                "-[AFHTTPRequestOperationManager POST:parameters:constructingBodyWithBlock:success:failure:]",
                "POST(_:parameters:constructingBodyWithBlock:success:failure:)",
                "post(_:parameters:constructingBodyWith:success:failure:)"
            ) { (manager: Manager) in
                manager.POST(
                    "x", parameters: nil, constructingBodyWithBlock: { (_: (any AFMultipartFormData)!) in },
                    success: old,
                    failure: failedOld)
                manager.post(
                    "x", parameters: nil, constructingBodyWith: { (_: any AFMultipartFormData) in },
                    success: { (_: Op, _: Any) in }, failure: { (_: Op?, _: any Error) in })
            },
        ]
    }
}
