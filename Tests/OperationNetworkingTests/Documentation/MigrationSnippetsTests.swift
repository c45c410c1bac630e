// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

// The snippets of Migration.md, compiled. `DocumentationTests` sees to it that they are the same, `SnippetRunTests` runs
// those that talk to a server.

/// Migration, "Leaving the old names".
final class BooksClient: HTTPRequestOperationManager, @unchecked Sendable {
    static let shared = BooksClient(baseURL: URL(string: "https://api.example.com/v1/"))

    override init(baseURL: URL? = nil) {
        super.init(baseURL: baseURL)
        requestSerializer = JSONRequestSerializer()
        requestSerializer.timeoutInterval = 20
        requestSerializer.setValue("1", forHTTPHeaderField: "X-Client-Version")
        responseSerializer.acceptableContentTypes = ["application/json", "application/vnd.books+json"]
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }
}

/// Migration, "Coming from AFNetworking 3 or 4".
final class ShelfClient: HTTPSessionManager, @unchecked Sendable {
    static let shared = ShelfClient(baseURL: URL(string: "https://api.example.com/v1/"))

    override init(baseURL: URL?, sessionConfiguration: URLSessionConfiguration?) {
        super.init(baseURL: baseURL, sessionConfiguration: sessionConfiguration)
        requestSerializer = JSONRequestSerializer()
        responseSerializer.acceptableContentTypes = ["application/json", "application/vnd.shelf+json"]
        completionQueue = DispatchQueue(label: "com.example.shelf")
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }
}

enum MigrationSnippets {}

extension MigrationSnippets {
    /// Migration, "Leaving the old names".
    static func setBlocksFirst(_ client: BooksClient) throws -> HTTPRequestOperation {
        let operation = try client.makeOperation(method: "GET", "covers/1")
        operation.setDownloadProgressBlock { _, received, expected in print(received, expected) }
        operation.setCompletionBlockWithSuccess(
            { _, object in print(object ?? "") }, failure: { _, error in print(error) })
        client.enqueue(operation)
        return operation
    }

    /// Migration, "The main queue".
    static func setQueue(_ client: BooksClient) {
        client.completionQueue = DispatchQueue(label: "com.example.books")
    }

    /// Migration, "Threads".
    static func observe(_ operation: HTTPRequestOperation) -> [OperationStateObservation] {
        let token = operation.observeState { old, new in print("\(old) -> \(new)") }
        let other = operation.observe(\.isFinished, options: [.new]) { _, change in print(change.newValue ?? false) }
        return [token, other]
    }

    /// Migration, "Errors".
    static func tellErrors(_ operation: HTTPRequestOperation) {
        switch operation.error {
        case let error as URLError where error.code == .cancelled:
            break
        case let error as URLError:
            print("transport: \(error.code.rawValue)")
        case let error as ResponseSerializationError:
            let status = (error.response as? HTTPURLResponse)?.statusCode
            print("status \(status ?? 0), body parsed to \(error.responseObject ?? "nothing")")
        case let error?:
            print(error)
        case nil:
            print(operation.responseObject ?? "no content")
        }
    }

    /// Migration, "Moving a policy over".
    static func movePolicy(_ client: BooksClient, privateRoot: Data, archive: Data, password: String) throws {
        let pins = SecurityPolicy.certificates(in: .main)
        let pinned = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: pins)
        pinned.anchorCertificates = [privateRoot]
        try pinned.validate()
        client.securityPolicy = pinned
        client.clientIdentity = try ClientIdentity(pkcs12: archive, password: password)
    }

    /// Migration, "What sessions gain".
    static func taskWithDependency(
        _ manager: HTTPSessionManager, _ request: URLRequest, _ tokenRequest: URLRequest
    ) -> URLSessionDataTask {
        let cover = manager.dataTask(with: request) { _, object, error in print(object ?? error ?? "") }
        let token = HTTPRequestOperation(request: tokenRequest)
        manager.operation(for: cover)?.addDependency(token)
        cover.resume()
        token.start()
        return cover
    }

    /// Migration, "Moving from sessions to operations".
    static func sessionManager(_ manager: HTTPRequestOperationManager) throws -> HTTPRequestOperation {
        let cover = try manager.makeOperation(
            method: "GET", "covers/1",
            success: { operation, object in print(operation.response?.statusCode ?? 0, object ?? "") },
            failure: { operation, error in print(operation?.response?.statusCode ?? 0, error) })
        cover.responseSerializer = HTTPResponseSerializer()
        cover.setDownloadProgressBlock { _, received, expected in print(received, expected) }
        manager.enqueue(cover)
        return cover
    }

    /// Migration, "Coming from Alamofire".
    static func alamofire(_ base: URL) async throws -> Book {
        // In place of the server that the document names.
        func URL(string: String) -> Foundation.URL? { base }
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/"))
        manager.requestSerializer = JSONRequestSerializer()
        let created = try await manager.makeOperation(method: "POST", "books", parameters: Draft(title: "Lavinia"))
            .decoded(Book.self)
        return created
    }

    /// Migration, "Coming from URLSession".
    static func session(_ request: URLRequest) async throws -> Data {
        let operation = HTTPRequestOperation(request: request)
        operation.responseSerializer = HTTPResponseSerializer()
        _ = try await operation.value()
        let data = operation.responseData ?? Data()
        print(operation.response?.statusCode ?? 0, data.count, operation.metrics?.totalTime ?? 0)
        return data
    }

    /// Migration, "Coming from URLSession".
    static func taskGroup(_ requests: [URLRequest]) async -> [URLConnectionOperation] {
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 8
        let batch = OperationBatch(requests.map { HTTPRequestOperation(request: $0) })
        batch.enqueue(on: queue)
        let failed = await batch.value().filter { $0.error != nil }
        return failed
    }
}

private struct Draft: Encodable, Sendable {
    let title: String
}
