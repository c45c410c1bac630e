// SPDX-License-Identifier: MIT
import AFNetworking

private typealias Manager = AFHTTPSessionManager
private typealias DataTask = URLSessionDataTask

@Sendable private func old(_ task: URLSessionDataTask!, _ object: AnyObject!) {}
@Sendable private func failedOld(_ task: URLSessionDataTask!, _ error: NSError!) {}
@Sendable private func done(_ task: URLSessionDataTask, _ object: Any?) {}
@Sendable private func failed(_ task: URLSessionDataTask?, _ error: any Error) {}
@Sendable private func progressed(_ progress: Progress) {}
private func build(_ form: any AFMultipartFormData) {}

extension Symbol {
    static var httpSessionManager: [Symbol] {
        httpSessionSettings + verbsWithoutHeaders + verbsWithProgress + verbsWithHeaders
    }

    private static var httpSessionSettings: [Symbol] {
        [
            available("AFHTTPSessionManager", "AFHTTPSessionManager") { (_: Manager) in },
            available("AFHTTPSessionManager.baseURL", "baseURL") {
                (manager: Manager) in _ = typed(URL?.self, manager.baseURL)
            },
            available("AFHTTPSessionManager.requestSerializer", "requestSerializer") {
                (manager: Manager) in manager.requestSerializer = AFJSONRequestSerializer()
            },
            available("AFHTTPSessionManager.responseSerializer", "responseSerializer") {
                (manager: Manager) in
                manager.responseSerializer = AFJSONResponseSerializer()
                manager.responseSerializer.acceptableContentTypes = ["a/b"]
            },
            available("AFHTTPSessionManager.securityPolicy", "securityPolicy") {
                (manager: Manager) in manager.securityPolicy = AFSecurityPolicy(pinningMode: .certificate)
            },
            available("+[AFHTTPSessionManager manager]", "manager()", "init()") { (_: Void) in
                _ = [AFHTTPSessionManager.manager(), AFHTTPSessionManager()]
            },
            available("-[AFHTTPSessionManager initWithBaseURL:]", "init(baseURL:)") { (url: URL?) in
                _ = AFHTTPSessionManager(baseURL: url)
                _ = AFHTTPSessionManager(baseURL: NSURL(string: "http://example.com/"))
            },
            available(
                "-[AFHTTPSessionManager initWithBaseURL:sessionConfiguration:]",
                "init(baseURL:sessionConfiguration:)"
            ) { (url: URL?) in _ = AFHTTPSessionManager(baseURL: url, sessionConfiguration: .default) },
        ]
    }

    private static var verbsWithoutHeaders: [Symbol] {
        [
            available(
                "-[AFHTTPSessionManager GET:parameters:success:failure:]",
                "GET(_:parameters:success:failure:)",
                "get(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.GET("x", parameters: nil, success: old, failure: failedOld)
                manager.GET("x", parameters: nil, success: { (_: DataTask, _: AnyObject) in }, failure: nil)
                manager.get("x", parameters: nil, success: done, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager POST:parameters:success:failure:]",
                "POST(_:parameters:success:failure:)",
                "post(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.POST("x", parameters: nil, success: old, failure: failedOld)
                manager.POST(
                    "x", parameters: nil, success: { (_: DataTask, _: AnyObject) in }, failure: nil)
                manager.post("x", parameters: nil, success: done, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager PUT:parameters:success:failure:]",
                "PUT(_:parameters:success:failure:)",
                "put(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.PUT("x", parameters: nil, success: old, failure: failedOld)
                manager.PUT("x", parameters: nil, success: { (_: DataTask, _: AnyObject) in }, failure: nil)
                manager.put("x", parameters: nil, success: done, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager PATCH:parameters:success:failure:]",
                "PATCH(_:parameters:success:failure:)",
                "patch(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.PATCH("x", parameters: nil, success: old, failure: failedOld)
                manager.PATCH(
                    "x", parameters: nil, success: { (_: DataTask, _: AnyObject) in }, failure: nil)
                manager.patch("x", parameters: nil, success: done, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager DELETE:parameters:success:failure:]",
                "DELETE(_:parameters:success:failure:)",
                "delete(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.DELETE("x", parameters: nil, success: old, failure: failedOld)
                manager.DELETE(
                    "x", parameters: nil, success: { (_: DataTask, _: AnyObject) in }, failure: nil)
                manager.delete("x", parameters: nil, success: done, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager HEAD:parameters:success:failure:]",
                "HEAD(_:parameters:success:failure:)",
                "head(_:parameters:success:failure:)"
            ) { (manager: Manager) in
                manager.HEAD("x", parameters: nil, success: { (_: DataTask!) in }, failure: failedOld)
                manager.head("x", parameters: nil, success: { (_: DataTask) in }, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager POST:parameters:constructingBodyWithBlock:success:failure:]",
                "POST(_:parameters:constructingBodyWithBlock:success:failure:)",
                "post(_:parameters:constructingBodyWith:success:failure:)"
            ) { (manager: Manager) in
                manager.POST(
                    "x", parameters: nil, constructingBodyWithBlock: build, success: old, failure: failedOld)
                manager.post(
                    "x", parameters: nil, constructingBodyWith: build, success: done, failure: failed)
            },
        ]
    }

    private static var verbsWithProgress: [Symbol] {
        [
            available(
                "-[AFHTTPSessionManager GET:parameters:progress:success:failure:]",
                "GET(_:parameters:progress:success:failure:)", "get(_:parameters:progress:success:failure:)"
            ) { (manager: Manager) in
                manager.GET("x", parameters: nil, progress: progressed, success: old, failure: failedOld)
                manager.get("x", parameters: nil, progress: progressed, success: done, failure: failed)
                manager.get("x", parameters: nil, progress: nil, success: nil) { _, _ in }
            },
            available(
                "-[AFHTTPSessionManager POST:parameters:progress:success:failure:]",
                "POST(_:parameters:progress:success:failure:)",
                "post(_:parameters:progress:success:failure:)"
            ) { (manager: Manager) in
                manager.POST("x", parameters: nil, progress: progressed, success: old, failure: failedOld)
                manager.post("x", parameters: nil, progress: progressed, success: done, failure: failed)
                manager.post("x", parameters: nil, progress: nil, success: nil) { _, _ in }
            },
            available(
                "-[AFHTTPSessionManager POST:parameters:constructingBodyWithBlock:progress:success:failure:]",
                "POST(_:parameters:constructingBodyWithBlock:progress:success:failure:)",
                "post(_:parameters:constructingBodyWith:progress:success:failure:)"
            ) { (manager: Manager) in
                manager.POST(
                    "x", parameters: nil, constructingBodyWithBlock: build, progress: nil, success: old,
                    failure: failedOld)
                manager.post(
                    "x", parameters: nil, constructingBodyWith: build, progress: progressed, success: done,
                    failure: failed)
            },
        ]
    }

    private static var verbsWithHeaders: [Symbol] {
        [
            available(
                "-[AFHTTPSessionManager GET:parameters:headers:progress:success:failure:]",
                "get(_:parameters:headers:progress:success:failure:)"
            ) { (manager: Manager) in
                manager.get(
                    "x", parameters: nil, headers: ["A": "b"], progress: nil, success: done, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager POST:parameters:headers:progress:success:failure:]",
                "post(_:parameters:headers:progress:success:failure:)"
            ) { (manager: Manager) in
                manager.post(
                    "x", parameters: nil, headers: ["A": "b"], progress: nil, success: done, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager PUT:parameters:headers:success:failure:]",
                "put(_:parameters:headers:success:failure:)"
            ) { (manager: Manager) in
                manager.put("x", parameters: nil, headers: ["A": "b"], success: done, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager PATCH:parameters:headers:success:failure:]",
                "patch(_:parameters:headers:success:failure:)"
            ) { (manager: Manager) in
                manager.patch("x", parameters: nil, headers: ["A": "b"], success: done, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager DELETE:parameters:headers:success:failure:]",
                "delete(_:parameters:headers:success:failure:)"
            ) { (manager: Manager) in
                manager.delete("x", parameters: nil, headers: ["A": "b"], success: done, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager HEAD:parameters:headers:success:failure:]",
                "head(_:parameters:headers:success:failure:)"
            ) { (manager: Manager) in
                manager.head(
                    "x", parameters: nil, headers: ["A": "b"], success: { (_: DataTask) in }, failure: failed)
            },
            available(
                "-[AFHTTPSessionManager POST:parameters:headers:constructingBodyWithBlock:progress:success:failure:]",
                "post(_:parameters:headers:constructingBodyWith:progress:success:failure:)"
            ) { (manager: Manager) in
                manager.post(
                    "x", parameters: nil, headers: nil, constructingBodyWith: build, progress: nil,
                    success: done,
                    failure: failed)
            },
            available(
                "-[AFHTTPSessionManager dataTaskWithHTTPMethod:URLString:parameters:headers:uploadProgress:downloadProgress:success:failure:]",
                "dataTask(withHTTPMethod:urlString:parameters:headers:uploadProgress:downloadProgress:success:failure:)"
            ) { (manager: Manager) in
                _ = manager.dataTask(
                    withHTTPMethod: "GET", urlString: "x", parameters: nil, headers: nil, uploadProgress: nil,
                    downloadProgress: progressed, success: done, failure: failed)
            },
        ]
    }
}
