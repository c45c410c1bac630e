// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

/// What clients of AFNetworking 2 expect of an operation's life, in its spellings.
@Suite("Operations as AFNetworking runs them", .timeLimit(.minutes(1))) struct OperationBehaviourTests {
    let server: TestServer
    let gate = Gate()

    init() throws {
        server = try TestServer()
        let gate = gate
        server.respond(to: "/get", .json("{}"))
        server.respond(to: "/delay", ScriptedResponse.json("{}").holding(gate, at: .beforeHead))
        for status in [404, 500] { server.respond(to: "/status/\(status)", .status(status)) }
        server.respond(to: "/redirect/1", .redirect(to: "/get"))
        for count in 2...5 { server.respond(to: "/redirect/\(count)", .redirect(to: "/redirect/\(count - 1)")) }
    }

    private func operation(_ path: String) throws -> AFHTTPRequestOperation {
        let url = try #require(URL(string: path, relativeTo: server.url("/")))
        let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
        operation.responseSerializer = AFHTTPResponseSerializer()
        return operation
    }

    @Test("Without a failure block the success block gets the object, and the other way round")
    func blocks() async throws {
        let log = Log()
        let fine = try operation("/get")
        fine.setCompletionBlockWithSuccess({ _, object in log.add("object \(object != nil)") }, failure: nil)
        fine.start()
        try await eventually("the object") { fine.isFinished && log.contains("object true") }
        for status in [404, 500] {
            let refused = try operation("/status/\(status)")
            refused.setCompletionBlockWithSuccess(
                nil, failure: { operation, _ in log.add("failed \(operation.response?.statusCode ?? 0)") })
            refused.start()
            try await eventually("the failure") { refused.isFinished && log.contains("failed \(status)") }
        }
    }

    @Test("A started operation executes at once; one that is cancelled has its error at once, and fails")
    func cancel() async throws {
        let log = Log()
        let operation = try operation("/delay")
        operation.setCompletionBlockWithSuccess(nil, failure: { _, error in log.add("\((error as NSError).code)") })
        operation.start()
        #expect(operation.isExecuting)
        operation.cancel()
        try await eventually("the end") { operation.isFinished && log.contains("-999") }
        #expect((operation.error as NSError?)?.code == NSURLErrorCancelled)
        gate.open()
    }

    @Test("The redirect block sees every hop", arguments: [1, 5])
    func redirects(count: Int) async throws {
        let log = Log()
        let operation = try operation("/redirect/\(count)")
        operation.setCompletionBlockWithSuccess(nil, failure: nil)
        operation.setRedirectResponseBlock { _, request, response in
            if response != nil { log.add("hop") }
            return request
        }
        operation.start()
        try await eventually("the end") { operation.isFinished }
        #expect(log.all.count == count && operation.response?.statusCode == 200)
    }

    @Test("An executing operation is paused, resumed and completed")
    func pause() async throws {
        let log = Log()
        let operation = try operation("/delay")
        operation.setCompletionBlockWithSuccess({ _, object in log.add("object \(object != nil)") }, failure: nil)
        operation.start()
        #expect(operation.isExecuting)
        operation.pause()
        #expect(operation.isPaused() && !operation.isExecuting)
        operation.resume()
        #expect(operation.isExecuting && !operation.isPaused())
        gate.open()
        try await eventually("the object") { operation.isFinished && log.contains("object true") }
    }

    @Test("A manager's operation may be started again without effect; it runs and tells once")
    func started() async throws {
        let log = Log()
        let manager = AFHTTPRequestOperationManager()
        let url = server.url("/get").absoluteString
        let operation = manager.get(
            url, parameters: nil, success: { _, _ in log.add("success") }, failure: { _, _ in log.add("failure") })
        operation?.start()
        try await eventually("the end") { !log.all.isEmpty }
        let head = manager.head(
            url, parameters: nil, success: { _ in log.add("head") }, failure: { _, _ in log.add("failure") })
        head?.start()
        try await eventually("the head") { log.all.count == 2 }
        #expect(log.all == ["success", "head"] && server.requests.count == 2)
    }

    @Test("A request that takes longer than its time-out fails, whatever the verb")
    func timeout() async throws {
        let log = Log()
        let manager = AFHTTPRequestOperationManager(baseURL: server.url("/"))
        manager.requestSerializer.timeoutInterval = 0.1
        let failure: @Sendable (AFHTTPRequestOperation?, any Error) -> Void = { log.add("\(($1 as NSError).code)") }
        manager.get("delay", parameters: nil, success: nil, failure: failure)
        manager.head("delay", parameters: nil, success: nil, failure: failure)
        manager.post("delay", parameters: nil, success: nil, failure: failure)
        try await eventually("three failures") { log.all.count == 3 }
        #expect(Set(log.all) == ["\(NSURLErrorTimedOut)"])
        gate.open()
    }

    @Test("Notifications have the operation, by which its request is known")
    func notifications() async throws {
        let log = Log()
        let operation = try operation("/get")
        let url = operation.request.url
        let tokens = [
            ("start", NSNotification.Name.AFNetworkingOperationDidStart),
            ("finish", NSNotification.Name.AFNetworkingOperationDidFinish),
        ].map { line, name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
                if (note.object as? AFHTTPRequestOperation)?.request.url == url { log.add(line) }
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        operation.start()
        try await eventually("both") { log.all == ["start", "finish"] }
    }

    @Test("Text is in the encoding that the response names, and in UTF-8 when it names none that is known")
    func encodings() async throws {
        for (type, encoding) in [
            ("text/plain; charset=\"UTF-8\"", String.Encoding.utf8), ("text/plain; charset=\"Shift_JIS\"", .shiftJIS),
            ("text/plain; charset=\"invalid\"", .utf8), ("text/plain; charset=iso-8859-1", .isoLatin1),
            ("text/plain", .utf8),
        ] {
            server.respond(to: "/text", .ok("text", type: type))
            let operation = try operation("/text")
            operation.start()
            try await eventually("the end") { operation.isFinished }
            #expect(operation.responseStringEncoding == encoding.rawValue, "\(type)")
            #expect(operation.responseString == "text")
        }
    }

    @Test("JSON by its type; another type is an error, and so is a bad status, without an object")
    func json() async throws {
        for (type, isJSON) in [("application/json", true), ("text/javascript", true), ("application/no-json", false)] {
            server.respond(to: "/typed", .ok("{}", type: type))
            let operation = try operation("/typed")
            operation.responseSerializer = AFJSONResponseSerializer()
            operation.start()
            try await eventually("the end") { operation.isFinished }
            #expect((operation.error == nil) == isJSON && (operation.responseObject != nil) == isJSON)
        }
        let refused = try operation("/status/404")
        refused.responseSerializer = AFJSONResponseSerializer()
        refused.start()
        try await eventually("the end") { refused.isFinished }
        #expect(refused.responseObject == nil && (refused.error as NSError?)?.code == NSURLErrorBadServerResponse)
    }

    @Test("The activity indicator is turned on and off, whether a request succeeds or fails", arguments: [200, 500])
    func activity(status: Int) async throws {
        server.respond(to: "/held", ScriptedResponse.json("{}", status: status).holding(gate, at: .beforeHead))
        let log = Log()
        let indicator = AFNetworkActivityIndicatorManager()
        indicator.activationDelay = 0
        indicator.completionDelay = 0
        indicator.setNetworkingActivityActionWith { log.add($0 ? "on" : "off") }
        let operation = try operation("/held")
        operation.start()
        indicator.isEnabled = true
        try await eventually("on") { log.all == ["on"] }
        gate.open()
        // Operations of other tests count, too.
        try await eventually("off") { log.all.starts(with: ["on", "off"]) }
        indicator.setNetworkingActivityActionWithBlock(nil)
    }

    @Test("A manager is unknown at first, then tells a block and a notification that a host can be reached")
    func reachability() async throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        for manager in [
            AFNetworkReachabilityManager(forDomain: "localhost"), AFNetworkReachabilityManager(forAddress: &address),
        ] {
            #expect(manager.networkReachabilityStatus == .unknown && !manager.isReachable)
            let log = Log()
            manager.setReachabilityStatusChange { status in
                if status == .reachableViaWiFi || status == .reachableViaWWAN { log.add("block") }
            }
            let token = NotificationCenter.default.addObserver(
                forName: NSNotification.Name.AFNetworkingReachabilityDidChange, object: manager, queue: nil
            ) { note in
                let item = note.userInfo?[AFNetworkingReachabilityNotificationStatusItem] as? NSNumber
                if item.flatMap({ AFNetworkReachabilityStatus(rawValue: $0.intValue) }) == .reachableViaWiFi {
                    log.add("notification")
                }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            manager.startMonitoring()
            try await eventually("both") { log.contains("block") && log.contains("notification") }
            #expect(manager.isReachable)
            manager.stopMonitoring()
        }
    }
}
