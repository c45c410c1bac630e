// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import OperationNetworking

// The samples in the comments of public declarations, compiled. `DocumentationTests` sees to it that they are the same.
// They are not run: the servers in them do not exist.

// HTTPRequestOperation+Async.swift: func value()
private func sample01(_ manager: HTTPRequestOperationManager) async throws {
    let operation = try manager.makeOperation(method: "GET", "books")
    let books = try await operation.value() as? [[String: Any]]
    print(books?.count ?? 0)
}

// HTTPRequestOperation+Async.swift: func decoded<T
private func sample02(_ manager: HTTPRequestOperationManager) async throws {
    let book = try await manager.makeOperation(method: "GET", "books/1")
        .decoded(Book.self)
    print(book.title)
}

// HTTPRequestOperation+CURL.swift: func cURLCommand
private func sample03(_ operation: HTTPRequestOperation) {
    print(operation.cURLCommand())
}

// HTTPRequestOperation.swift: func setCompletionBlockWithSuccess
private func sample04(_ operation: HTTPRequestOperation) {
    operation.setCompletionBlockWithSuccess(
        { operation, object in print(object ?? "no content") },
        failure: { operation, error in print(error.localizedDescription) })
}

// HTTPRequestOperation.swift: var responseSerializer
private func sample05(_ operation: HTTPRequestOperation) {
    operation.responseSerializer = DecodableResponseSerializer<Book>()
}

// URLConnectionOperation+Blocks.swift: func setDownloadProgressBlock
private func sample06(_ operation: HTTPRequestOperation) {
    operation.setDownloadProgressBlock { _, received, expected in
        print("\(received) of \(expected) bytes")
    }
}

// URLConnectionOperation+Blocks.swift: func setUploadProgressBlock
private func sample07(_ operation: HTTPRequestOperation) {
    operation.setUploadProgressBlock { _, sent, total in
        print("\(sent) of \(total) bytes")
    }
}

// URLConnectionOperation+Blocks.swift: func setRedirectResponseBlock
private func sample08(_ operation: HTTPRequestOperation) {
    operation.setRedirectResponseBlock { operation, request, response in
        // Nil in place of the request: the redirect is the result.
        response == nil ? request : nil
    }
}

// URLConnectionOperation+Blocks.swift: func setWillSendRequestForAuthenticationChallengeBlock
private func sample09(_ operation: HTTPRequestOperation, _ user: String, _ password: String) {
    operation.setWillSendRequestForAuthenticationChallengeBlock {
        _, challenge in
        guard challenge.previousFailureCount == 0 else {
            return .cancel
        }
        return .useCredential(
            URLCredential(user: user, password: password, persistence: .none))
    }
}

// URLConnectionOperation+Blocks.swift: func setCacheResponseBlock
private func sample10(_ operation: HTTPRequestOperation) {
    operation.setCacheResponseBlock { operation, response in
        response.data.count < 65_536 ? response : nil
    }
}

// URLConnectionOperation+Dependencies.swift: func addDependency
private func sample11(_ login: HTTPRequestOperation, _ profile: HTTPRequestOperation) {
    profile.addDependency(login) { login, request in
        request.setValue(
            login.responseString, forHTTPHeaderField: "X-Session")
    }
}

// URLConnectionOperation+Observing.swift: func observeState
private func sample12(_ operation: HTTPRequestOperation) {
    let observation = operation.observeState { old, new in
        print("\(old) -> \(new)")
    }
    _ = observation
}

// URLConnectionOperation+Observing.swift: func observe<Value>
private func sample13(_ operation: HTTPRequestOperation) {
    let observation = operation.observe(\.isFinished) { operation, change in
        print(change.newValue ?? false)
    }
    _ = observation
}

// URLConnectionOperation.swift: var metrics
private func sample14(_ operation: HTTPRequestOperation) {
    if let metrics = operation.metrics {
        print(metrics.httpVersion, metrics.totalTime, metrics.bytesReceived)
    }
}

// URLConnectionOperation.swift: var dependencyFailurePolicy
private func sample15(_ login: HTTPRequestOperation, _ profile: HTTPRequestOperation) {
    profile.addDependency(login)
    profile.dependencyFailurePolicy = .cancel
}

// URLConnectionOperation.swift: var clientIdentity
private func sample16(_ operation: HTTPRequestOperation, _ archive: Data, _ password: String) throws {
    operation.clientIdentity = try ClientIdentity(
        pkcs12: archive, password: password)
}

// DownloadDestination.swift: struct DownloadDestination
private func sample17(_ operation: HTTPRequestOperation, _ file: URL) {
    operation.responseSerializer = HTTPResponseSerializer()
    operation.downloadDestination = DownloadDestination(fileURL: file)
}

// OperationBatch.swift: final class OperationBatch
private func sample18(_ manager: HTTPRequestOperationManager) async throws {
    let batch = OperationBatch(
        try ["a", "b", "c"].map {
            try manager.makeOperation(method: "GET", "files/\($0)")
        })
    batch.setProgressBlock { finished, total in
        print("\(finished) of \(total)")
    }
    let failed = await batch.value().filter { $0.error != nil }
    print(failed.count)
}

// URLConnectionOperation+Limits.swift: var totalTimeout
private func sample19(_ operation: HTTPRequestOperation) {
    operation.totalTimeout = 30
}

// URLConnectionOperation+Streaming.swift: var chunks
private func sample20(_ operation: HTTPRequestOperation) async throws {
    for try await chunk in operation.chunks {
        print(chunk.count)
    }
}

// URLConnectionOperation+Streaming.swift: var lines
private func sample21(_ operation: HTTPRequestOperation) async throws {
    for try await line in operation.lines {
        print(line)
    }
}

// URLConnectionOperation+Streaming.swift: var events
private func sample22(_ operation: HTTPRequestOperation) async throws {
    for try await event in operation.events {
        print(event.event, event.data)
    }
}

// URLConnectionOperation+Streaming.swift: func data()
private func sample23(_ operation: HTTPRequestOperation) async throws {
    let (content, response) = try await operation.data()
    print(response.statusCode, content.count)
}

// HTTPRequestOperationManager.swift: func httpRequestOperation
private func sample24(_ manager: HTTPRequestOperationManager, _ request: URLRequest) {
    let operation = manager.httpRequestOperation(
        with: request,
        success: { operation, object in print(object ?? "no content") },
        failure: { operation, error in print(error.localizedDescription) })
    manager.enqueue(operation)
}

// HTTPRequestOperationManager.swift: func cancelAllOperations(where
private func sample25(_ manager: HTTPRequestOperationManager) {
    manager.cancelAllOperations(where: {
        $0.request.url?.host == "images.example.com"
    })
}

// HTTPRequestOperationManager.swift: func get
private func sample26(_ manager: HTTPRequestOperationManager) {
    manager.get(
        "books", parameters: ["author": "Le Guin"],
        success: { operation, object in print(object ?? "no content") },
        failure: { operation, error in print(error.localizedDescription) })
}

// HTTPRequestOperationManager+Verbs.swift: func operation
private func sample27(_ manager: HTTPRequestOperationManager) throws {
    let operation = try manager.makeOperation(
        method: "GET", "books", parameters: ["author": "Le Guin"])
    operation.queuePriority = .high
    manager.enqueue(operation)
}

// HTTPRequestOperationManager+Retry.swift: var retryPolicy
private func sample28(_ manager: HTTPRequestOperationManager) {
    manager.retryPolicy = RetryPolicy(maximumAttempts: 5)
}

// RequestOperationQueue.swift: class RequestOperationQueue
private func sample29(_ manager: HTTPRequestOperationManager) {
    let queue = RequestOperationQueue()
    queue.maxConcurrentOperationCount = 16
    queue.maxConcurrentOperationsPerHost = 4
    manager.operationQueue = queue
}

// SecurityPolicy.swift: class SecurityPolicy
private func sample30(_ manager: HTTPRequestOperationManager, _ certificate: Data) {
    manager.securityPolicy = SecurityPolicy(
        pinningMode: .publicKey, pinnedCertificates: [certificate])
}

// SecurityPolicy.swift: var anchorCertificates
private func sample31(_ manager: HTTPRequestOperationManager, _ privateRoot: Data) {
    let policy = SecurityPolicy.default()
    policy.anchorCertificates = [privateRoot]
    manager.securityPolicy = policy
}

// SecurityPolicy.swift: func validate()
private func sample32(_ policy: SecurityPolicy) {
    do {
        try policy.validate()
    } catch {
        print("these settings cannot work: \(error)")
    }
}

// ClientIdentity.swift: struct ClientIdentity
private func sample33(_ manager: HTTPRequestOperationManager, _ archive: URL, _ password: String) throws {
    manager.clientIdentity = try ClientIdentity(
        pkcs12: Data(contentsOf: archive), password: password)
}

// ProxyConfiguration.swift: struct ProxyConfiguration
private func sample34(_ manager: HTTPRequestOperationManager) throws {
    let proxy = try ProxyServer(
        "http://user:password@proxy.example.com:3128")
    manager.proxyConfiguration = ProxyConfiguration(
        proxy, excludedHosts: ["localhost", "internal.example.com"])
}

// RetryBudget.swift: final class RetryBudget
private func sample35(_ managers: [HTTPRequestOperationManager]) {
    let budget = RetryBudget(ratio: 0.1)
    for manager in managers {
        manager.retryPolicy = RetryPolicy(budget: budget)
    }
}

// RetryPolicy.swift: struct RetryPolicy
private func sample36(_ manager: HTTPRequestOperationManager) {
    manager.retryPolicy = RetryPolicy(
        maximumAttempts: 4,
        backoff: .exponential(initial: 0.2, factor: 2, maximum: 10),
        budget: RetryBudget())
}

// TokenRefresher.swift: final class TokenRefresher
private func sample37(_ manager: HTTPRequestOperationManager, _ logIn: @escaping @Sendable () async throws -> String) {
    manager.interceptors = [TokenRefresher { try await logIn() }]
}

// HTTPRequestSerializer.swift: class HTTPRequestSerializer
private func sample38(_ manager: HTTPRequestOperationManager) {
    manager.requestSerializer.timeoutInterval = 20
    manager.requestSerializer.setValue(
        "de", forHTTPHeaderField: "Accept-Language")
}

// JSONRequestSerializer.swift: class JSONRequestSerializer
private func sample39(_ manager: HTTPRequestOperationManager) async throws {
    manager.requestSerializer = JSONRequestSerializer()
    let created = try await manager.makeOperation(
        method: "POST", "books", parameters: ["title": "Lavinia"]
    ).decoded(Book.self)
    print(created.title)
}

// MultipartFormData.swift: protocol MultipartFormData
private func sample40(_ manager: HTTPRequestOperationManager, _ cover: URL) throws {
    let operation = try manager.makeOperation(
        method: "POST", "covers",
        constructingBodyWith: { form in
            try form.appendPart(withFileURL: cover, name: "cover")
            form.appendPart(
                withForm: Data("front".utf8), name: "side")
        })
    manager.enqueue(operation)
}

// HTTPResponseSerializer.swift: class HTTPResponseSerializer
private func sample41(_ manager: HTTPRequestOperationManager) {
    let serializer = HTTPResponseSerializer()
    serializer.acceptableContentTypes = ["application/pdf"]
    manager.responseSerializer = serializer
}

// DecodableResponseSerializer.swift: class DecodableResponseSerializer
private func sample42(_ manager: HTTPRequestOperationManager) {
    manager.responseSerializer = DecodableResponseSerializer<Book>()
    manager.get(
        "books/1",
        success: { _, object in
            if let book = object as? Book { print(book.title) }
        })
}

// CompoundResponseSerializer.swift: class CompoundResponseSerializer
private func sample43(_ manager: HTTPRequestOperationManager) {
    manager.responseSerializer = CompoundResponseSerializer(
        responseSerializers: [
            JSONResponseSerializer(), PropertyListResponseSerializer(),
        ])
}

// JSONResponseSerializer.swift: class JSONResponseSerializer
private func sample44(_ manager: HTTPRequestOperationManager) {
    let serializer = JSONResponseSerializer()
    serializer.removesKeysWithNullValues = true
    manager.responseSerializer = serializer
}

// OperationURLCache.swift: class OperationURLCache
private func sampleOfCaches() {
    URLCache.shared = OperationURLCache(memoryCapacity: 8 << 20, diskCapacity: 64 << 20, diskPath: nil)
}

// OperationURLSession.swift: class OperationURLSession
private func sample45(_ url: URL) async throws {
    let session = OperationURLSession(configuration: .default)
    let (data, response) = try await session.data(from: url)
    print(data.count, response)
}

// HTTPSessionManager.swift: class HTTPSessionManager
private func sample46() {
    let manager = HTTPSessionManager(
        baseURL: URL(string: "https://api.example.com/v1/"))
    manager.get(
        "books", parameters: ["page": 2],
        success: { task, object in print(object ?? "no content") },
        failure: { task, error in print(error.localizedDescription) })
}

// URLSessionManager.swift: class URLSessionManager
private func sample47(_ request: URLRequest) async throws {
    let manager = URLSessionManager()
    let book = try await manager.decoded(Book.self, from: request)
    print(book.title)
}

// HTTPRequestOperationManager+Connections.swift: var hostOverrides
private func sample48(_ manager: HTTPRequestOperationManager) {
    manager.hostOverrides = ["api.example.com": "127.0.0.1"]
}

// NetworkEngine+Connections.swift: public static var capabilities
private func sample49() {
    print(NetworkEngine.capabilities.libcurlVersion)
    print(NetworkEngine.capabilities.contentCodings)
}

// NetworkActivityManager.swift, NetworkReachabilityManager.swift: see ArticleSnippetsTests.swift.

// NetworkReachabilityManager+Observing.swift: statuses
private func statuses(_ reachability: NetworkReachabilityManager) async {
    reachability.startMonitoring()
    for await status in reachability.statuses where status != .unknown {
        print(status.localizedString)
    }
}

// CookieFile.swift
private func cookies() throws {
    let file = try CookieFile()
    try file.load(into: .shared)
    // Requests, and then:
    try file.save(.shared)
}

// HTTPArchive.swift
private func archive(_ manager: HTTPRequestOperationManager) {
    let archive = HTTPArchive()
    archive.record(manager)
}

// HTTPResult.swift
private func result(_ operation: HTTPRequestOperation) async throws {
    typealias Item = Book
    let page = try await operation.result(of: [Item].self)
    let link = page.response.value(forHTTPHeaderField: "Link")
    print(page.value.count, link ?? "last page")
}

// RequestBody.swift
private func bodies(_ manager: HTTPRequestOperationManager, book: Book, password: String, photo: URL) {
    manager.post("books", body: .json(book))
    manager.post("login", body: .form(["name": "kim", "password": password]))
    let photos = RequestBody.multipart(["album": "7"]) {
        try $0.appendPart(withFileURL: photo, name: "photo")
    }
    manager.post("photos", body: photos)
}

// URL+Escaping.swift
private func escaping() {
    let url = URL(escaping: "http://example.com/?to=%2Fhome&items[]=1")
    // Prints "to=%2Fhome&items%5B%5D=1".
    print(url?.query ?? "none")
}
