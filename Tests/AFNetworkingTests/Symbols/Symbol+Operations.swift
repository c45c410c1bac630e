// SPDX-License-Identifier: MIT
import AFNetworking
import Dispatch

typealias Connection = AFURLConnectionOperation
typealias Challenge = URLAuthenticationChallenge

extension Symbol {
    static var operations: [Symbol] {
        [
            available("AFURLConnectionOperation", "AFURLConnectionOperation") { (_: AFURLConnectionOperation) in },
            available("AFURLConnectionOperation.runLoopModes", "runLoopModes", note: "A Set<RunLoop.Mode>; no effect.")
            {
                (operation: AFURLConnectionOperation) in operation.runLoopModes = [.common]
            },
            available("AFURLConnectionOperation.request", "request") {
                (operation: AFURLConnectionOperation) in _ = typed(URLRequest.self, operation.request)
            },
            available("AFURLConnectionOperation.response", "response") {
                (operation: AFURLConnectionOperation) in _ = typed(URLResponse?.self, operation.response)
            },
            available("AFURLConnectionOperation.error", "error", note: "An Error, as in Swift 3 and later.") {
                (operation: AFURLConnectionOperation) in _ = typed((any Error)?.self, operation.error)
            },
            available("AFURLConnectionOperation.responseData", "responseData") {
                (operation: AFURLConnectionOperation) in _ = typed(Data?.self, operation.responseData)
            },
            available("AFURLConnectionOperation.responseString", "responseString") {
                (operation: AFURLConnectionOperation) in _ = typed(String?.self, operation.responseString)
            },
            available("AFURLConnectionOperation.responseStringEncoding", "responseStringEncoding") {
                (operation: AFURLConnectionOperation) in _ = typed(UInt.self, operation.responseStringEncoding)
            },
            available("AFURLConnectionOperation.shouldUseCredentialStorage", "shouldUseCredentialStorage") {
                (operation: AFURLConnectionOperation) in operation.shouldUseCredentialStorage = false
            },
            available("AFURLConnectionOperation.credential", "credential") {
                (operation: AFURLConnectionOperation) in operation.credential = typed(URLCredential?.self, nil)
            },
            available("AFURLConnectionOperation.securityPolicy", "securityPolicy") {
                (operation: AFURLConnectionOperation) in operation.securityPolicy = AFSecurityPolicy()
            },
            available("AFURLConnectionOperation.inputStream", "inputStream", note: "Optional.") {
                (operation: AFURLConnectionOperation) in operation.inputStream = InputStream(data: Data())
            },
            available("AFURLConnectionOperation.outputStream", "outputStream", note: "Nil until it is set.") {
                (operation: AFURLConnectionOperation) in operation.outputStream = OutputStream(toMemory: ())
            },
            available("AFURLConnectionOperation.completionQueue", "completionQueue") {
                (operation: AFURLConnectionOperation) in operation.completionQueue = typed(DispatchQueue?.self, nil)
            },
            available("AFURLConnectionOperation.completionGroup", "completionGroup") {
                (operation: AFURLConnectionOperation) in operation.completionGroup = typed(DispatchGroup?.self, nil)
            },
            available("AFURLConnectionOperation.userInfo", "userInfo", note: "The keys are text.") {
                (operation: AFURLConnectionOperation) in operation.userInfo = ["key": 1]
            },
            available("-[AFURLConnectionOperation initWithRequest:]", "init(request:)") { (request: URLRequest) in
                _ = AFURLConnectionOperation(request: request)
                _ = AFURLConnectionOperation(request: request as NSURLRequest)
            },
            available("-[AFURLConnectionOperation pause]", "pause()") { (operation: AFURLConnectionOperation) in
                operation.pause()
            },
            available("-[AFURLConnectionOperation isPaused]", "isPaused()") { (operation: AFURLConnectionOperation) in
                _ = typed(Bool.self, operation.isPaused())
            },
            available("-[AFURLConnectionOperation resume]", "resume()") { (operation: AFURLConnectionOperation) in
                operation.resume()
            },
            available(
                "-[AFURLConnectionOperation setShouldExecuteAsBackgroundTaskWithExpirationHandler:]",
                "setShouldExecuteAsBackgroundTaskWithExpirationHandler(_:)", note: "No effect: nothing is suspended."
            ) { (operation: AFURLConnectionOperation) in
                operation.setShouldExecuteAsBackgroundTaskWithExpirationHandler {}
            },
            available("-[AFURLConnectionOperation setUploadProgressBlock:]", "setUploadProgressBlock(_:)") {
                (operation: AFURLConnectionOperation) in
                operation.setUploadProgressBlock { (_: UInt, _: Int64, _: Int64) in }
                operation.setUploadProgressBlock { _, _, _ in }
            },
            available("-[AFURLConnectionOperation setDownloadProgressBlock:]", "setDownloadProgressBlock(_:)") {
                (operation: AFURLConnectionOperation) in
                operation.setDownloadProgressBlock { (_: UInt, _: Int64, _: Int64) in }
                operation.setDownloadProgressBlock { _, _, _ in }
            },
            available(
                "-[AFURLConnectionOperation setWillSendRequestForAuthenticationChallengeBlock:]",
                "setWillSendRequestForAuthenticationChallengeBlock(_:)",
                "setWillSendRequestForAuthenticationChallenge(_:)",
                note: "The block gets the operation. It answers by the challenge's sender, or returns the answer."
            ) { (operation: AFURLConnectionOperation) in
                operation.setWillSendRequestForAuthenticationChallengeBlock { (_: Connection, _: Challenge) in .cancel }
                operation.setWillSendRequestForAuthenticationChallengeBlock {
                    (_: Connection, challenge: Challenge) -> Void in
                    challenge.sender?.cancel(challenge)
                }
                operation.setWillSendRequestForAuthenticationChallenge { _, challenge in
                    challenge.sender?.performDefaultHandling(for: challenge)
                }
            },
            available(
                "-[AFURLConnectionOperation setRedirectResponseBlock:]", "setRedirectResponseBlock(_:)",
                note: "The block gets the operation, and an optional response."
            ) { (operation: AFURLConnectionOperation) in
                operation.setRedirectResponseBlock { _, request, _ in request }
                operation.setRedirectResponseBlock { (_: Connection, request: URLRequest, _: URLResponse?) in request }
            },
            available(
                "-[AFURLConnectionOperation setCacheResponseBlock:]", "setCacheResponseBlock(_:)",
                note: "The block gets the operation."
            ) { (operation: AFURLConnectionOperation) in
                operation.setCacheResponseBlock { _, response in response }
            },
            available(
                "+[AFURLConnectionOperation batchOfRequestOperations:progressBlock:completionBlock:]",
                "batchOfRequestOperations(_:progressBlock:completionBlock:)",
                "batch(ofRequestOperations:progressBlock:completionBlock:)"
            ) { (operations: [AFHTTPRequestOperation]) in
                _ = AFURLConnectionOperation.batchOfRequestOperations(
                    operations, progressBlock: { (_: UInt, _: UInt) in }, completionBlock: { (_: [AnyObject]) in })
                _ = AFURLConnectionOperation.batch(
                    ofRequestOperations: operations, progressBlock: { (_: UInt, _: UInt) in },
                    completionBlock: { (_: [Any]) in })
            },
            available(
                "AFNetworkingOperationDidStartNotification", "AFNetworkingOperationDidStartNotification",
                "AFNetworkingOperationDidStart"
            ) { (center: NotificationCenter) in
                center.post(name: Notification.Name(AFNetworkingOperationDidStartNotification), object: nil)
                center.post(name: NSNotification.Name.AFNetworkingOperationDidStart, object: nil)
            },
            available(
                "AFNetworkingOperationDidFinishNotification", "AFNetworkingOperationDidFinishNotification",
                "AFNetworkingOperationDidFinish"
            ) { (center: NotificationCenter) in
                center.post(name: Notification.Name(AFNetworkingOperationDidFinishNotification), object: nil)
                center.post(name: NSNotification.Name.AFNetworkingOperationDidFinish, object: nil)
            },
        ]
    }

    static var httpOperations: [Symbol] {
        [
            available("AFHTTPRequestOperation", "AFHTTPRequestOperation") { (_: AFHTTPRequestOperation) in },
            available("AFHTTPRequestOperation.response", "response") {
                (operation: AFHTTPRequestOperation) in _ = typed(HTTPURLResponse?.self, operation.response)
            },
            available("AFHTTPRequestOperation.responseSerializer", "responseSerializer") {
                (operation: AFHTTPRequestOperation) in operation.responseSerializer = AFJSONResponseSerializer()
            },
            available("AFHTTPRequestOperation.responseObject", "responseObject") {
                (operation: AFHTTPRequestOperation) in _ = typed(Any?.self, operation.responseObject)
            },
            available(
                "-[AFHTTPRequestOperation setCompletionBlockWithSuccess:failure:]",
                "setCompletionBlockWithSuccess(_:failure:)"
            ) { (operation: AFHTTPRequestOperation) in
                operation.setCompletionBlockWithSuccess(
                    { (_: AFHTTPRequestOperation!, _: AnyObject!) in },
                    failure: { (_: AFHTTPRequestOperation!, _: NSError!) in })
                operation.setCompletionBlockWithSuccess(
                    { (_: AFHTTPRequestOperation, _: AnyObject) in },
                    failure: { (_: AFHTTPRequestOperation, _: NSError) in })
                operation.setCompletionBlockWithSuccess(
                    { (_: AFHTTPRequestOperation, _: Any) in },
                    failure: { (_: AFHTTPRequestOperation, _: any Error) in })
                operation.setCompletionBlockWithSuccess({ _, _ in }, failure: nil)
            },
        ]
    }
}
