// SPDX-License-Identifier: MIT
internal import Dispatch
internal import OperationNetworking

// Snippets of the articles in the DocC catalogue, compiled. `DocumentationTests` sees to it that they are the same. They
// are not run: the servers in them do not exist. Those of the article on testing are in `TestingArticleTests`.

// MARK: The first page

private func overview() async throws -> Book {
    let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/"))

    let book = try await manager.makeOperation(method: "GET", "books/1")
        .decoded(Book.self)

    manager.get(
        "books", parameters: ["author": "Le Guin"],
        success: { operation, object in print(object ?? "no content") },
        failure: { operation, error in print(error.localizedDescription) })
    return book
}

// MARK: The page of HTTPRequestOperation

private func decode(_ manager: HTTPRequestOperationManager) async throws -> Book {
    let operation = try manager.makeOperation(method: "GET", "books/1")
    let book = try await operation.decoded(Book.self)
    return book
}

private func pauseAndCancel(_ operation: HTTPRequestOperation) {
    operation.pause()
    operation.resume()
    operation.cancel()
}

// MARK: The page of HTTPRequestOperationManager

private struct Draft: Encodable, Sendable {
    let title: String
}

private func create() async throws -> Book {
    let manager = HTTPRequestOperationManager(
        baseURL: URL(string: "https://api.example.com/v1/"))
    manager.requestSerializer = JSONRequestSerializer()
    manager.retryPolicy = RetryPolicy()

    let operation = try manager.makeOperation(
        method: "POST", "books", parameters: Draft(title: "Lavinia"))
    let created = try await operation.decoded(Book.self)
    return created
}

// MARK: Caching

private func caches() {
    let cached = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/"))
    cached.urlCache = OperationURLCache(memoryCapacity: 8 << 20, diskCapacity: 64 << 20, diskPath: "/var/cache/books")
    let uncached = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/"))
    uncached.urlCache = nil
}

private func sharedCache() {
    URLCache.shared = OperationURLCache(memoryCapacity: 8 << 20, diskCapacity: 64 << 20, diskPath: nil)
}

private func cacheOnly(_ manager: HTTPRequestOperationManager, _ url: URL) -> HTTPRequestOperation {
    var request = URLRequest(url: url)
    request.cachePolicy = .returnCacheDataDontLoad
    let operation = manager.httpRequestOperation(with: request)
    operation.setCacheResponseBlock { operation, response in
        response.data.count < 65_536 ? response : nil
    }
    return operation
}

// MARK: Retry

private func retry(_ manager: HTTPRequestOperationManager) throws -> HTTPRequestOperation {
    manager.retryPolicy = RetryPolicy(
        maximumAttempts: 4, budget: RetryBudget())
    let operation = try manager.makeOperation(method: "GET", "books")
    operation.retryPolicy = RetryPolicy(
        maximumAttempts: 5,
        backoff: .exponential(initial: 0.2, factor: 2, maximum: 10))
    operation.totalTimeout = 60
    return operation
}

private func tellAttempts(_ operation: HTTPRequestOperation) {
    for attempt in operation.metrics?.attempts ?? [] {
        print(attempt.number, attempt.statusCode ?? 0, attempt.delay)
    }
}

struct Idempotency: RequestInterceptor {
    func adapt(
        _ request: URLRequest, for operation: HTTPRequestOperation
    ) async throws -> URLRequest {
        var request = request
        let key = operation.userInfo["key"] as? String
        request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
        return request
    }

    func retry(
        _ operation: HTTPRequestOperation, dueTo error: any Error
    ) async -> RetryDecision {
        let isLost = (error as? URLError)?.code == .networkConnectionLost
        return isLost && operation.retryCount < 2
            ? .retryAfter(1) : .doNotRetry
    }
}

// MARK: Token refresh

private struct Session: Decodable, Sendable {
    let token: String
}

private func refresh(_ manager: HTTPRequestOperationManager, _ accounts: HTTPRequestOperationManager, saved: String) {
    let refresher = TokenRefresher {
        let login = try accounts.makeOperation(
            method: "POST", "token", parameters: ["refresh_token": saved])
        return try await login.decoded(Session.self).token
    }
    manager.interceptors = [refresher]
}

private func beginWithToken(saved: String, logIn: @escaping @Sendable () async throws -> String) {
    let refresher = TokenRefresher(token: saved) { try await logIn() }
    refresher.token = nil
}

private func keyInsteadOfToken(logIn: @escaping @Sendable () async throws -> String) -> TokenRefresher {
    let refresher = TokenRefresher(
        refresh: { try await logIn() },
        apply: { token, request in
            request.setValue(token, forHTTPHeaderField: "X-Api-Key")
        })
    return refresher
}

// MARK: Getting started

private func makeManager() -> HTTPRequestOperationManager {
    let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/"))
    manager.requestSerializer = JSONRequestSerializer()
    manager.requestSerializer.timeoutInterval = 20
    manager.requestSerializer.setValue("1", forHTTPHeaderField: "X-Client-Version")
    manager.completionQueue = DispatchQueue(label: "com.example.books")
    return manager
}

private func sendWithBlocks(_ manager: HTTPRequestOperationManager) {
    manager.post(
        "books", parameters: ["title": "The Dispossessed"],
        success: { operation, object in
            print(operation.response?.statusCode ?? 0, object ?? "no content")
        },
        failure: { operation, error in
            print(error.localizedDescription, operation?.responseString ?? "")
        })
}

private func sendFromAsyncCode(_ manager: HTTPRequestOperationManager) async throws -> String {
    let book = try await manager.makeOperation(method: "GET", "books/1").decoded(Book.self)
    return book.title
}

private func setThingsBeforeTheStart(_ manager: HTTPRequestOperationManager) throws {
    let operation = try manager.makeOperation(method: "GET", "covers/1")
    operation.responseSerializer = HTTPResponseSerializer()
    operation.setDownloadProgressBlock { _, received, expected in print("\(received) of \(expected) bytes") }
    operation.setCompletionBlockWithSuccess(
        { operation, _ in print(operation.responseData?.count ?? 0) },
        failure: { _, error in print(error.localizedDescription) })
    manager.enqueue(operation)
}

private func upload(_ manager: HTTPRequestOperationManager, cover: URL) {
    manager.post(
        "covers", parameters: ["book": 1],
        constructingBodyWith: { form in
            try form.appendPart(withFileURL: cover, name: "cover")
        },
        success: { operation, _ in print(operation.response?.statusCode ?? 0) },
        failure: { _, error in print(error.localizedDescription) })
}

// MARK: The life of an operation

private func archive(_ operation: HTTPRequestOperation) throws {
    operation.pause()
    let archive = try operation.archivedData()
    let restored = try HTTPRequestOperation(archivedData: archive)
    restored.resume()
}

// MARK: Threads and queues

private func setQueue(_ manager: HTTPRequestOperationManager) {
    manager.completionQueue = DispatchQueue(label: "com.example.api")
}

private func waitWithoutBlocking(_ manager: HTTPRequestOperationManager) throws {
    let batch = OperationBatch([
        try manager.makeOperation(method: "GET", "books"),
        try manager.makeOperation(method: "GET", "authors"),
    ])
    batch.setCompletionBlock { operations in print("\(operations.count) are done") }
    manager.enqueue(batch)
}

// MARK: Dependencies

private func tellWhyNotSent(_ profile: HTTPRequestOperation) {
    if let error = profile.error as? URLError, error.code == .cancelled,
        let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
    {
        print("not sent, because: \(cause.localizedDescription)")
    }
}

// MARK: Groups and cancellation

private func makeBatch(
    _ manager: HTTPRequestOperationManager, names: [String], folder: URL
) throws -> OperationBatch {
    let downloads = try names.map { name in
        let operation = try manager.makeOperation(method: "GET", "files/\(name)")
        operation.responseSerializer = HTTPResponseSerializer()
        operation.downloadDestination = DownloadDestination(fileURL: folder.appendingPathComponent(name))
        return operation
    }
    let batch = OperationBatch(downloads, name: "files")
    batch.setProgressBlock { finished, total in print("\(finished) of \(total) files") }
    batch.setCompletionBlock { operations in
        let failed = operations.filter { $0.error != nil }
        print("\(operations.count - failed.count) complete, \(failed.count) not")
    }
    manager.enqueue(batch)
    return batch
}

private func wait(for batch: OperationBatch) async {
    for operation in await batch.value() {
        print(operation.request.url?.lastPathComponent ?? "", operation.error?.localizedDescription ?? "complete")
    }
}

private func cancel(_ batch: OperationBatch, _ manager: HTTPRequestOperationManager) {
    batch.cancel()
    manager.cancelAllHTTPOperations(method: "GET", path: "books")
    manager.cancelAllOperations(where: { $0.request.url?.host == "images.example.com" })
}

private func cancelRest(of batch: OperationBatch, _ operations: [HTTPRequestOperation]) {
    for operation in operations {
        operation.setCompletionBlockWithSuccess(nil) { [weak batch] _, error in
            guard (error as? URLError)?.code != .cancelled else { return }
            batch?.cancel()
        }
    }
}

// MARK: Pausing, resuming and downloading

private func download(_ manager: HTTPRequestOperationManager, folder: URL, digest: Data) throws {
    let operation = try manager.makeOperation(method: "GET", "files/book.pdf")
    operation.responseSerializer = HTTPResponseSerializer()
    operation.downloadDestination = DownloadDestination(
        fileURL: folder.appendingPathComponent("book.pdf"), existingFile: .replace, sha256: digest)
    operation.setDownloadProgressBlock { _, received, expected in print("\(received) of \(expected) bytes") }
    manager.enqueue(operation)
}

// MARK: Security

private func trust(_ manager: HTTPRequestOperationManager) throws {
    let file = URL(fileURLWithPath: "/etc/ssl/private-root.pem")
    let policy = SecurityPolicy.default()
    policy.anchorCertificates = try SecurityPolicy.certificates(from: Data(contentsOf: file))
    manager.securityPolicy = policy
}

private func pin(_ manager: HTTPRequestOperationManager) throws {
    let pins = SecurityPolicy.certificates(in: .main)
    let pinned = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: pins)
    try pinned.validate()
    manager.securityPolicy = pinned
}

private func identify(_ manager: HTTPRequestOperationManager, archive: Data, password: String) throws {
    manager.clientIdentity = try ClientIdentity(pkcs12: archive, password: password)
}

private func answerChallenges(_ operation: HTTPRequestOperation, user: String, password: String) {
    operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
        guard challenge.previousFailureCount == 0 else { return .rejectProtectionSpace }
        return .useCredential(URLCredential(user: user, password: password, persistence: .none))
    }
}

private func answerHandshakes(_ operation: HTTPRequestOperation, identity: ClientIdentity) {
    operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
        if challenge.protectionSpace.wantsClientIdentity { return .useCredential(.identity(identity)) }
        return .performDefaultHandling
    }
}

private func confineRedirects(_ operation: HTTPRequestOperation) {
    operation.setRedirectResponseBlock { operation, request, response in
        guard response != nil else { return request }
        return request.url?.host == operation.request.url?.host && request.url?.scheme == "https" ? request : nil
    }
}

private func separateCookies(_ manager: HTTPRequestOperationManager) {
    manager.cookieStorage = URLSessionConfiguration.ephemeral.httpCookieStorage
}

private func keepCookies() throws {
    let file = try CookieFile()
    try file.load(into: .shared)
    try file.save(.shared)
}

// MARK: Errors

private func tellErrors(_ operation: HTTPRequestOperation) {
    switch operation.error {
    case let error as URLError where error.code == .cancelled:
        break
    case let error as URLError:
        print("transport: \(error.code.rawValue) \(error.localizedDescription)")
    case let error as ResponseSerializationError:
        let status = (error.response as? HTTPURLResponse)?.statusCode
        print("status \(status ?? 0), body: \(error.responseObject ?? "none")")
    case let error?:
        print(error)
    case nil:
        print(operation.responseObject ?? "no content")
    }
}

private func readErrorDocument(of operation: HTTPRequestOperation) {
    if let error = operation.error as? ResponseSerializationError, error.code == .badServerResponse {
        let document = error.responseObject as? [String: Any]
        print(document?["message"] ?? operation.responseString ?? "")
    }
}

private func sendAgain(
    _ operation: HTTPRequestOperation, _ manager: HTTPRequestOperationManager,
    success: @escaping HTTPRequestOperationManager.Success,
    failure: @escaping @Sendable (HTTPRequestOperation, any Error) -> Void
) {
    let transient: Set<URLError.Code> = [.timedOut, .networkConnectionLost, .cannotConnectToHost]
    if let error = operation.error as? URLError, transient.contains(error.code),
        operation.request.httpMethod == "GET", let again = operation.copy() as? HTTPRequestOperation
    {
        again.setCompletionBlockWithSuccess(success, failure: failure)
        manager.enqueue(again)
    }
}

// MARK: Performance

private func raiseLimit() {
    NetworkEngine.maximumConnectionsPerHost = 32
}

private func measure(_ operation: HTTPRequestOperation) {
    if let metrics = operation.metrics {
        print("waited \(metrics.queueTime) s for a slot")
        print("first byte after \(metrics.firstByteTime) s")
        print("on an open connection: \(metrics.reusedConnection)")
    }
}

// MARK: Reachability and network activity

private func watch() -> NetworkReachabilityManager {
    let reachability = NetworkReachabilityManager(domain: "api.example.com")
    reachability.setReachabilityStatusChangeBlock { status in
        print(status.localizedString)
    }
    reachability.startMonitoring()
    return reachability
}

private func waitForTheWay(_ reachability: NetworkReachabilityManager) async {
    reachability.startMonitoring()
    for await status in reachability.statuses {
        guard status != .unknown else { continue }
        print(status.localizedString)
        if status != .notReachable { break }
    }
}

private func showActivity() {
    let activity = NetworkActivityManager.shared
    activity.setNetworkingActivityAction { isVisible in
        print(isVisible ? "Loading…" : "Ready.")
    }
    activity.isEnabled = true
}

// MARK: Streaming

private func readLines(_ manager: HTTPRequestOperationManager) async throws {
    let operation = try manager.makeOperation(method: "GET", "logs/today")
    for try await line in operation.lines {
        print(line)
        if line.hasPrefix("END") { break }
    }
}

private func readEvents(_ manager: HTTPRequestOperationManager) async throws {
    let operation = try manager.makeOperation(method: "GET", "changes")
    for try await event in operation.events.reconnecting() {
        print(event.event, event.id, event.data)
    }
}

private func sendRecords(_ records: AsyncStream<Data>, to url: URL) async throws -> (Data, HTTPURLResponse) {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    request.setHTTPBody(records)
    let (answer, response) = try await HTTPRequestOperation(request: request).data()
    return (answer, response)
}
