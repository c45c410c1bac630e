// SPDX-License-Identifier: MIT
import AFNetworking
import Dispatch
import TestServer
import Testing

/// What blocks noted, in order.
private final class Notes: @unchecked Sendable {
    private let lock = NSLock()
    private var notes: [String] = []

    func add(_ note: String) { lock.withLock { notes.append(note) } }
    var all: [String] { lock.withLock { notes } }
}

@Suite("Operations under their old names", .timeLimit(.minutes(1))) struct OperationTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json(#"{"a":["b",null]}"#) }
    }

    private func operation(_ path: String = "/x") -> AFHTTPRequestOperation {
        let operation = AFHTTPRequestOperation(request: NSMutableURLRequest(url: server.url(path)))
        operation.completionQueue = DispatchQueue(label: "test.completion")
        operation.responseSerializer = AFJSONResponseSerializer()
        return operation
    }

    @Test("An operation for a request of Objective-C's runs, and its blocks get bridged objects")
    func run() async throws {
        let outcome = await operation().outcome()
        let array = (outcome.object as? NSDictionary)?["a"] as? NSArray
        #expect(array?.firstObject as? String == "b")
        #expect(outcome.operation?.responseStringEncoding == String.Encoding.utf8.rawValue)
        #expect(operation().responseStringEncoding == 0)
        #expect(outcome.operation?.isPaused() == false)
    }

    @Test("A block whose object is not optional gets NSNull for nothing")
    func nothing() async {
        server.respond(to: "/nothing", .json(" "))
        let operation = operation("/nothing")
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            operation.setCompletionBlockWithSuccess(
                { (operation: AFHTTPRequestOperation, object: AnyObject) in
                    continuation.resume(returning: Outcome(operation: operation, object: object))
                },
                failure: { (operation: AFHTTPRequestOperation, error: NSError) in
                    continuation.resume(returning: Outcome(operation: operation, error: error))
                })
            operation.start()
        }
        #expect(outcome.object is NSNull)
    }

    @Test("The failure block gets an NSError")
    func failure() async {
        server.respond(to: "/gone", .status(410))
        let outcome = await operation("/gone").outcome()
        #expect(outcome.object == nil)
        #expect(outcome.error?.domain == AFURLResponseSerializationErrorDomain)
        let cancelled = operation()
        cancelled.cancel()
        let end = await cancelled.outcome()
        #expect(end.error?.domain == NSURLErrorDomain && end.error?.code == -999)
    }

    @Test("Progress blocks take AFNetworking's NSUInteger, and nil removes them")
    func progress() async throws {
        server.respond(to: "/up", .ok("0123456789"))
        let notes = Notes()
        var request = URLRequest(url: server.url("/up"))
        request.httpMethod = "POST"
        request.httpBody = Data(count: 1000)
        let loading = AFHTTPRequestOperation(request: request)
        loading.setUploadProgressBlock { (_: UInt, total: Int64, expected: Int64) in
            if total == expected { notes.add("sent \(total)") }
        }
        loading.setDownloadProgressBlock { (_: UInt, total: Int64, expected: Int64) in
            if total == expected { notes.add("received \(total)") }
        }
        let silent = try #require(loading.copy() as? AFHTTPRequestOperation)
        silent.setUploadProgressBlock(nil)
        silent.setDownloadProgressBlock(nil)
        _ = await silent.outcome()
        #expect(notes.all == [])
        _ = await loading.outcome()
        #expect(notes.all == ["sent 1000", "received 10"])
    }

    @Test("Notifications have AFNetworking's names")
    func notifications() async throws {
        #expect(AFNetworkingOperationDidStartNotification == "com.alamofire.networking.operation.start")
        #expect(AFNetworkingOperationDidFinishNotification == "com.alamofire.networking.operation.finish")
        let operation = operation()
        let notes = Notes()
        let center = NotificationCenter.default
        let names = [
            NSNotification.Name.AFNetworkingOperationDidStart,
            NSNotification.Name(rawValue: AFNetworkingOperationDidStartNotification),
            NSNotification.Name.AFNetworkingOperationDidFinish,
            NSNotification.Name(rawValue: AFNetworkingOperationDidFinishNotification),
        ]
        let tokens = names.map { name in
            center.addObserver(forName: name, object: operation, queue: nil) { _ in notes.add(name.rawValue) }
        }
        defer { for token in tokens { center.removeObserver(token) } }
        _ = await operation.outcome()
        try await eventually("both notifications") { notes.all.count == 4 }
        #expect(Set(notes.all).count == 2)
    }

    @Test("Both spellings of a batch finish, and hand the operations over", arguments: [true, false])
    func batch(isOld: Bool) async throws {
        let members = [operation(), operation()]
        let notes = Notes()
        let queue = OperationQueue()
        // The blocks of a batch run on the main queue, which nobody runs here but the test's own waiting.
        let count = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
            let progress: @Sendable (UInt, UInt) -> Void = { notes.add("\($0) of \($1)") }
            let all: [Any] =
                isOld
                ? AFURLConnectionOperation.batchOfRequestOperations(
                    members, progressBlock: progress,
                    completionBlock: { (operations: [AnyObject]) in continuation.resume(returning: operations.count) })
                : AFURLConnectionOperation.batch(
                    ofRequestOperations: members + ["no operation"], progressBlock: progress,
                    completionBlock: { (operations: [Any]) in continuation.resume(returning: operations.count) })
            queue.addOperations(all.compactMap { $0 as? Operation }, waitUntilFinished: false)
        }
        #expect(count == 2)
        #expect(notes.all == ["1 of 2", "2 of 2"])
    }

    @Test("An operation that the manager makes under its old name is not enqueued")
    func made() async throws {
        let manager = AFHTTPRequestOperationManager.offMain(server.url("/"))
        for isObjectiveC in [true, false] {
            let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                let success: @Sendable (AFHTTPRequestOperation, AnyObject?) -> Void = {
                    continuation.resume(returning: Outcome(operation: $0, object: $1))
                }
                let failure: @Sendable (AFHTTPRequestOperation, NSError) -> Void = {
                    continuation.resume(returning: Outcome(operation: $0, error: $1))
                }
                let request = URLRequest(url: server.url("/made"))
                let operation =
                    isObjectiveC
                    ? manager.HTTPRequestOperationWithRequest(
                        request as NSURLRequest, success: success, failure: failure)
                    : manager.HTTPRequestOperationWithRequest(request, success: success, failure: failure)
                #expect(!operation.isExecuting && manager.operationQueue.operationCount == 0)
                manager.operationQueue.addOperation(operation)
            }
            #expect(outcome.object is NSDictionary)
        }
    }

    @Test("manager() and init(baseURL:) for Objective-C's URL")
    func managers() {
        #expect(AFHTTPRequestOperationManager.manager().baseURL == nil)
        #expect(AFHTTPRequestOperationManager.manager() !== AFHTTPRequestOperationManager.manager())
        let manager = AFHTTPRequestOperationManager(baseURL: NSURL(string: "http://example.com/v1"))
        #expect(manager.baseURL?.absoluteString == "http://example.com/v1/")
    }

    @Test("The challenge block under its Swift 3 name, and the background task that needs nothing")
    func blocks() async {
        server.respond(to: "/secret") { request in
            request["Authorization"] == nil
                ? ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")]) : .json("{}")
        }
        let operation = operation("/secret")
        operation.setShouldExecuteAsBackgroundTaskWithExpirationHandler { Issue.record("nothing expires") }
        operation.setWillSendRequestForAuthenticationChallenge { _, challenge in
            let credential = URLCredential(user: "u", password: "p", persistence: .none)
            challenge.sender?.use(credential, for: challenge)
        }
        #expect(await operation.outcome().status == 200)
    }
}
