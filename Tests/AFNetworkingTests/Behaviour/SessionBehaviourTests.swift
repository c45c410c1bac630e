// SPDX-License-Identifier: MIT
import AFNetworking
import Dispatch
import TestServer
import Testing

/// Sees every request that a verb makes.
private final class Client: AFHTTPSessionManager, @unchecked Sendable {
    let log = Log()

    override func dataTask(
        withHTTPMethod method: String, urlString URLString: String, parameters: Any?, headers: [String: String]?,
        uploadProgress: (@Sendable (Progress) -> Void)?, downloadProgress: (@Sendable (Progress) -> Void)?,
        success: (@Sendable (URLSessionDataTask, Any?) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)?
    ) -> URLSessionDataTask? {
        log.add("\(method) \(URLString)")
        return super.dataTask(
            withHTTPMethod: method, urlString: URLString, parameters: parameters, headers: headers,
            uploadProgress: uploadProgress, downloadProgress: downloadProgress, success: success, failure: failure)
    }
}

/// What clients of AFNetworking 3 and 4 expect of session managers, in its spellings.
@Suite("Sessions as AFNetworking runs them", .timeLimit(.minutes(1))) struct SessionBehaviourTests {
    let server: TestServer
    let manager: AFHTTPSessionManager

    init() throws {
        server = try TestServer()
        server.respondToOthers { request in
            .json(#"{"body":"\#(request.text.count)","query":"\#(request.query ?? "")"}"#)
        }
        server.respond(to: "/image", ScriptedResponse(body: .pattern(count: 300_000)))
        for status in [200, 204, 404] { server.respond(to: "/status/\(status)", .status(status)) }
        manager = AFHTTPSessionManager(baseURL: server.url("/"))
    }

    private static let payload = Data(String(repeating: "AFNetworking", count: 2000).utf8)

    @Test("Managers are objects of their own; what comes out of a copy or an archive has every part")
    func managers() throws {
        #expect(AFHTTPSessionManager() != manager && AFHTTPSessionManager.supportsSecureCoding)
        let data = try NSKeyedArchiver.archivedData(withRootObject: manager, requiringSecureCoding: true)
        let restored = try NSKeyedUnarchiver.unarchivedObject(ofClass: AFHTTPSessionManager.self, from: data)
        for other in [try #require(restored), try #require(manager.copy() as? AFHTTPSessionManager)] {
            #expect(other != manager && other.baseURL == manager.baseURL && other.session !== manager.session)
            #expect(other.securityPolicy.sslPinningMode == .none)
            #expect(other.responseSerializer is AFJSONResponseSerializer)
        }
    }

    @Test(
        "A task is complete when its handler has run, with an object or an error", arguments: ["/get", "/status/404"])
    func completion(path: String) async throws {
        let url = try #require(URL(string: path, relativeTo: server.url("/")))
        let log = Log()
        let task = manager.dataTask(
            with: URLRequest(url: url), uploadProgress: nil, downloadProgress: nil,
            completionHandler: { response, object, error in
                log.add("\((response as? HTTPURLResponse)?.statusCode ?? 0) \(object != nil) \(error != nil)")
            })
        task.resume()
        try await eventually("the handler") { !log.all.isEmpty }
        #expect(log.all == [path == "/get" ? "200 true false" : "404 false true"] && task.state == .completed)
    }

    @Test("Blocks by status: success for 200, without an object for 204, failure for 404")
    func statuses() async throws {
        for (path, line) in [
            ("status/200", "nil"), ("status/204", "nil"), ("status/404", "failure"), ("get", "object"),
        ] {
            let log = Log()
            manager.get(
                path, parameters: nil, headers: nil, progress: nil,
                success: { _, object in log.add(object == nil ? "nil" : "object") },
                failure: { _, _ in log.add("failure") })
            try await eventually("\(path)") { log.all == [line] }
        }
    }

    @Test("A request that cannot be made has no task, and its own error")
    func unmade() async throws {
        let log = Log()
        manager.requestSerializer.setQueryStringSerializationWith { _, _, error in
            error?.pointee = NSError(domain: "Custom", code: -1)
            return ""
        }
        let task = manager.get(
            "test", parameters: ["key": "value"], headers: nil, progress: nil, success: nil,
            failure: { task, error in log.add("\(task == nil) \((error as NSError).domain)") })
        #expect(task == nil)
        try await eventually("the failure") { log.all == ["true Custom"] }
    }

    @Test("A task for a method is the caller's to resume; its header fields are over the serializer's")
    func method() async throws {
        manager.requestSerializer.setValue("default", forHTTPHeaderField: "X-Foo")
        manager.requestSerializer.setValue("bar", forHTTPHeaderField: "X-Bar")
        let log = Log()
        let task = manager.dataTask(withHTTPMethod: "GET", urlString: "get", parameters: nil, headers: ["X-Foo": "own"])
        {
            progress in
            _ = progress.fractionCompleted
        } downloadProgress: { progress in
            _ = progress.fractionCompleted
        } success: { task, _ in
            let fields = task.originalRequest?.allHTTPHeaderFields
            log.add("\(fields?["X-Foo"] ?? "") \(fields?["X-Bar"] ?? "")")
        } failure: { _, error in
            log.add("\(error)")
        }
        #expect(task?.state == .suspended)
        task?.resume()
        try await eventually("the end") { log.all == ["own bar"] }
    }

    @Test("A subclass sees the verbs in the method that all of them go through")
    func subclass() async throws {
        let client = Client(baseURL: server.url("/"))
        let log = Log()
        let success: @Sendable (URLSessionDataTask, Any?) -> Void = { _, _ in log.add("done") }
        client.get("a", parameters: nil, headers: nil, progress: nil, success: success, failure: nil)
        client.head("b", parameters: nil, headers: nil, success: { _ in log.add("done") }, failure: nil)
        client.post("c", parameters: nil, headers: nil, progress: nil, success: success, failure: nil)
        client.put("d", parameters: nil, headers: nil, success: success, failure: nil)
        client.patch("e", parameters: nil, headers: nil, success: success, failure: nil)
        client.delete("f", parameters: nil, headers: nil, success: success, failure: nil)
        try await eventually("six ends") { log.all.count == 6 }
        #expect(client.log.all == ["GET a", "HEAD b", "POST c", "PUT d", "PATCH e", "DELETE f"])
    }

    @Test("Progress gets to 1 with every kind of task")
    func progress() async throws {
        manager.responseSerializer = AFHTTPResponseSerializer()
        let log = Log()
        @Sendable func note(_ line: String) -> @Sendable (Progress) -> Void {
            { if $0.fractionCompleted == 1 { log.add(line) } }
        }
        let payload = Self.payload
        let image = URLRequest(url: server.url("/image"))
        var post = URLRequest(url: server.url("/post"), cachePolicy: .reloadIgnoringCacheData, timeoutInterval: 60)
        post.httpMethod = "POST"
        manager.get("image", parameters: nil, headers: nil, progress: note("get"), success: nil, failure: nil)
        manager.post(
            "post", parameters: String(decoding: payload, as: UTF8.self), headers: nil, progress: note("post"),
            success: nil, failure: nil)
        manager.post(
            "post", parameters: nil, headers: nil,
            constructingBodyWith: {
                $0.appendPart(withFileData: payload, name: "A", fileName: "A", mimeType: "text/html")
            }, progress: note("form"), success: nil, failure: nil)
        let tasks: [URLSessionTask] = [
            manager.dataTask(
                with: image, uploadProgress: nil, downloadProgress: note("data"), completionHandler: nil),
            manager.downloadTask(
                with: image, progress: note("download"), destination: nil, completionHandler: nil),
            manager.uploadTask(with: post, from: payload, progress: note("upload"), completionHandler: nil),
        ]
        for task in tasks { task.resume() }
        try await eventually("six ends") {
            Set(log.all) == ["get", "post", "form", "data", "download", "upload"]
        }
    }

    @Test("A download's progress of the old kind is a part of the current one")
    func pointer() {
        let overall = Progress(totalUnitCount: 100)
        overall.becomeCurrent(withPendingUnitCount: 80)
        var progress: Progress?
        _ = manager.downloadTask(
            with: URLRequest(url: server.url("/image")), progress: &progress, destination: nil, completionHandler: nil)
        overall.resignCurrent()
        #expect(overall.fractionCompleted == 0)
        progress?.totalUnitCount = 1
        progress?.completedUnitCount = 1
        #expect(overall.fractionCompleted == 0.8)
    }

    @Test("Tasks are made of the requests that serializers make in the old spelling")
    func oldRequests() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("up")
        try Data("file".utf8).write(to: file)
        let form = AFHTTPRequestSerializer().multipartFormRequestWithMethod(
            "POST", URLString: server.url("/form").absoluteString, parameters: nil,
            constructingBodyWithBlock: { form in form.appendPartWithFormData(Data("value".utf8), name: "name") },
            error: nil)
        let request = NSMutableURLRequest(url: server.url("/old"))
        request.httpMethod = "PUT"
        let log = Log()
        let ended: @Sendable (URLResponse, AnyObject?, NSError?) -> Void = { _, object, error in
            log.add("\(object is NSDictionary) \(error == nil)")
        }
        var progress: Progress?
        let tasks: [URLSessionTask] = [
            manager.uploadTaskWithStreamedRequest(form, progress: &progress, completionHandler: ended),
            manager.dataTaskWithRequest(request, completionHandler: ended),
            manager.dataTaskWithRequest(
                request, uploadProgress: nil, downloadProgress: nil, completionHandler: ended),
            manager.uploadTaskWithRequest(request, fromFile: file, progress: nil, completionHandler: ended),
            manager.uploadTaskWithRequest(
                request, fromData: Data("data".utf8), progress: nil, completionHandler: ended),
            manager.downloadTaskWithRequest(
                request, progress: nil, destination: { _, _ in folder.file("down") },
                completionHandler: { _, url, error in log.add("\(url != nil) \(error == nil)") }),
        ]
        for task in tasks { task.resume() }
        try await eventually("six ends") { log.all == Array(repeating: "true true", count: 6) }
        #expect(Set(server.requests.map(\.method)) == ["POST", "PUT"] && progress?.isFinished == true)
        #expect(server.requests.contains { $0.text.contains("name=\"name\"\r\n\r\nvalue") })
        #expect(Set(server.requests.map(\.text)).isSuperset(of: ["", "file", "data"]))
    }

    @Test("Tasks that threads make at the same time have identifiers of their own")
    func identifiers() {
        let ids = Log()
        let request = URLRequest(url: server.url("/get"))
        DispatchQueue.concurrentPerform(iterations: 100) { _ in
            let task = manager.dataTask(with: request, completionHandler: nil)
            ids.add("\(task.taskIdentifier)")
            task.cancel()
        }
        #expect(Set(ids.all).count == 100)
    }

    @Test("Tasks of every kind tell that they are resumed and suspended, also in a session for the background")
    func notifications() async throws {
        let background = AFURLSessionManager(
            sessionConfiguration: URLSessionConfiguration.background(withIdentifier: "test"))
        let gate = Gate()
        server.respond(to: "/delay", ScriptedResponse.json("{}").holding(gate, at: .beforeHead))
        let request = URLRequest(url: server.url("/delay"))
        for manager in [manager, background] as [AFURLSessionManager] {
            let tasks: [URLSessionTask] = [
                manager.dataTask(with: request, completionHandler: nil),
                manager.uploadTask(with: request, from: Data(), progress: nil, completionHandler: nil),
                manager.downloadTask(with: request, progress: nil, destination: nil, completionHandler: nil),
            ]
            for task in tasks {
                let log = Log()
                let tokens = [
                    ("resume", NSNotification.Name.AFNetworkingTaskDidResume),
                    ("suspend", NSNotification.Name.AFNetworkingTaskDidSuspend),
                ].map { line, name in
                    NotificationCenter.default.addObserver(forName: name, object: task, queue: nil) { _ in
                        log.add(line)
                    }
                }
                defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
                task.resume()
                task.suspend()
                task.resume()
                try await eventually("the notifications") { log.all == ["resume", "suspend", "resume"] }
                task.cancel()
            }
        }
        gate.open()
        background.invalidateSessionCancelingTasks(true)
    }

    @Test("A download goes where the manager's block, or its own, says")
    func downloads() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("own")
        let log = Log()
        manager.downloadTask(
            with: URLRequest(url: server.url("/image")), progress: nil, destination: { _, _ in file },
            completionHandler: { _, url, error in log.add("\(url == file) \(error == nil)") }
        ).resume()
        try await eventually("the end") { log.all == ["true true"] }
        let other = folder.file("manager")
        manager.setDownloadTaskDidFinishDownloading { _, _, _ in other }
        manager.downloadTask(
            with: URLRequest(url: server.url("/image")), progress: nil, destination: nil,
            completionHandler: { _, url, error in log.add("\(url == other) \(error == nil)") }
        ).resume()
        try await eventually("the end") { log.all == ["true true", "true true"] }
        #expect(try Data(contentsOf: file) == Data(contentsOf: other))
    }

    @Test("The redirect block is asked; a set header field logs in; the challenge handler's answers count")
    func access() async throws {
        server.respond(to: "/redirect", .redirect(to: "/get"))
        server.respond(to: "/private") { request in
            let isKnown = request["Authorization"] == "Basic " + Data("user:passwd".utf8).base64EncodedString()
            return isKnown
                ? .json("{}")
                : ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"Fake Realm\"")])
        }
        let log = Log()
        let success: @Sendable (URLSessionDataTask, Any?) -> Void = { _, _ in log.add("success") }
        manager.setTaskWillPerformHTTPRedirection { _, _, _, request in
            log.add("redirect")
            return request
        }
        manager.get("redirect", parameters: nil, headers: nil, progress: nil, success: success, failure: nil)
        try await eventually("the redirect") { log.all == ["redirect", "success"] }
        manager.requestSerializer.setAuthorizationHeaderFieldWithUsername("user", password: "passwd")
        manager.get("private", parameters: nil, headers: nil, progress: nil, success: success, failure: nil)
        try await eventually("the field") { log.all.count == 3 && log.all.last == "success" }
        manager.requestSerializer.clearAuthorizationHeader()
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            guard challenge.protectionSpace.realm == "Fake Realm" else {
                return NSNumber(value: URLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
            }
            return URLCredential(user: "user", password: "passwd", persistence: .none)
        }
        manager.get("private", parameters: nil, headers: nil, progress: nil, success: success, failure: nil)
        try await eventually("the handler") { log.all.count == 4 && log.all.last == "success" }
    }
}
