// SPDX-License-Identifier: MIT
import AFNetworking
import Testing

private final class Manager: AFHTTPSessionManager, @unchecked Sendable {
    let log = Log()

    override var requestSerializer: AFHTTPRequestSerializer {
        didSet { log.add("serializer") }
    }

    override func dataTask(
        with request: URLRequest, completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionDataTask {
        log.add("task")
        return super.dataTask(with: request, completionHandler: completionHandler)
    }

    override func invalidateSessionCancelingTasks(_ cancelPendingTasks: Bool, resetSession: Bool = false) {
        log.add("end \(resetSession)")
        super.invalidateSessionCancelingTasks(cancelPendingTasks, resetSession: resetSession)
    }

    override func makeCopy(sessionConfiguration: URLSessionConfiguration) -> AFURLSessionManager {
        Manager(baseURL: baseURL, sessionConfiguration: sessionConfiguration)
    }
}

/// Overrides the form with progress blocks.
private final class ProgressManager: AFHTTPSessionManager, @unchecked Sendable {
    let log = Log()

    override func dataTask(
        with request: URLRequest, uploadProgress: (@Sendable (Progress) -> Void)?,
        downloadProgress: (@Sendable (Progress) -> Void)?,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionDataTask {
        log.add("task")
        return super.dataTask(
            with: request, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
            completionHandler: completionHandler)
    }
}

private final class OperationManager: AFHTTPRequestOperationManager, @unchecked Sendable {
    let serializer = Serializer()

    override var requestSerializer: AFHTTPRequestSerializer {
        get { serializer }
        set {}
    }

    override func makeCopy(baseURL: URL?) -> AFHTTPRequestOperationManager { OperationManager(baseURL: baseURL) }
}

private final class Serializer: AFHTTPRequestSerializer, @unchecked Sendable {
    override func setValue(_ value: String?, forHTTPHeaderField field: String) {
        super.setValue(value.map { "own " + $0 }, forHTTPHeaderField: field)
    }
}

@Suite("What a client overrides is called") struct OverrideTests {
    private static let url = "http://127.0.0.1:9/"

    @Test("Methods and the serializer of a session manager")
    func session() throws {
        let manager = Manager(baseURL: URL(string: Self.url))
        manager.requestSerializer = AFJSONRequestSerializer()
        _ = manager.dataTask(with: URLRequest(url: try #require(URL(string: Self.url)))) { _, _, _ in }
        manager.invalidateSessionCancelingTasks(true)
        #expect(manager.log.all == ["serializer", "task", "end false"])
    }

    @Test("The method that makes data tasks, with progress blocks or without, by verbs that have none")
    func verbs() {
        let url = URL(string: Self.url)
        let (manager, progressManager) = (Manager(baseURL: url), ProgressManager(baseURL: url))
        for client in [manager, progressManager] as [AFHTTPSessionManager] {
            client.get("x")?.cancel()
            client.get("x", success: { _, _ in })?.cancel()
            client.post("x", parameters: ["a": "b"], failure: { _, _ in })?.cancel()
            client.delete("x")?.cancel()
        }
        #expect(manager.log.all == Array(repeating: "task", count: 4))
        #expect(progressManager.log.all == Array(repeating: "task", count: 4))
    }

    @Test("The method that makes a copy: without it a copy is of the library's class")
    func copies() {
        let url = URL(string: Self.url)
        #expect((Manager(baseURL: url).copy() as? Manager)?.baseURL == url)
        #expect((OperationManager(baseURL: url).copy() as? OperationManager)?.baseURL == url)
        let copy = ProgressManager(baseURL: url).copy()
        #expect(copy is AFHTTPSessionManager && !(copy is ProgressManager))
    }

    @Test("The serializer of an operation manager, and the setting of a field")
    func operations() throws {
        let manager = OperationManager(baseURL: URL(string: Self.url))
        manager.requestSerializer.setValue("a", forHTTPHeaderField: "X-A")
        manager.requestSerializer.setAuthorizationHeaderFieldWithUsername("u", password: "p")
        let request = try manager.makeOperation(method: "GET", "x").request
        #expect(request.value(forHTTPHeaderField: "X-A") == "own a")
        #expect(request.value(forHTTPHeaderField: "Authorization")?.hasPrefix("own Basic ") == true)
    }
}
