// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworking

// The snippets of README.md, compiled. `DocumentationTests` sees to it that they are the same, `SnippetRunTests` runs those
// that talk to a server.

private struct Session: Decodable {
    let token: String
}

struct Book: Codable, Sendable, Equatable {
    let title: String
}

enum ReadmeSnippets {}

extension ReadmeSnippets {
    /// README, "Be told by blocks".
    static func blocks(_ base: URL) -> HTTPRequestOperationManager {
        // In place of the server that the document names.
        func URL(string: String) -> Foundation.URL? { base }
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.com/v1/"))

        manager.get(
            "books", parameters: ["author": "Le Guin", "page": 1],
            success: { operation, object in
                print(operation.response?.statusCode ?? 0, object ?? "no content")
            },
            failure: { operation, error in
                print(error.localizedDescription, operation?.responseString ?? "")
            })
        return manager
    }

    /// README, "Log in, then use the token".
    static func logIn(_ manager: HTTPRequestOperationManager, password: String) throws -> HTTPRequestOperation {
        let login = try manager.makeOperation(
            method: "POST", "login", parameters: ["user": "ada", "password": password])
        let profile = try manager.makeOperation(method: "GET", "profile")

        profile.dependencyFailurePolicy = .cancel
        profile.addDependency(login) { login, request in
            let session = try JSONDecoder().decode(Session.self, from: login.responseData ?? Data())
            request.setValue("Bearer \(session.token)", forHTTPHeaderField: "Authorization")
        }
        manager.enqueue(profile)
        manager.enqueue(login)
        return profile
    }

    /// The article on dependencies, "Operations of Other Kinds".
    static func report(
        _ manager: HTTPRequestOperationManager, _ login: HTTPRequestOperation, _ profile: HTTPRequestOperation
    ) {
        let report = BlockOperation { print("all requests have ended") }
        for operation in [login, profile] { report.addDependency(operation) }
        manager.operationQueue.addOperation(report)
    }

    /// README, "Download a batch to files".
    static func downloadBatch(_ manager: HTTPRequestOperationManager, names: [String], folder: URL) throws
        -> OperationBatch
    {
        let downloads = try names.map { name in
            let operation = try manager.makeOperation(method: "GET", "files/\(name)")
            operation.responseSerializer = HTTPResponseSerializer()
            operation.downloadDestination = DownloadDestination(fileURL: folder.appendingPathComponent(name))
            operation.setDownloadProgressBlock { _, received, expected in
                print("\(name): \(received) of \(expected) bytes")
            }
            return operation
        }
        let batch = OperationBatch(downloads, name: "files")
        batch.setProgressBlock { finished, total in print("\(finished) of \(total) files") }
        manager.enqueue(batch)
        return batch
    }

    /// README, "Cancel a group".
    static func cancelGroup(_ batch: OperationBatch) {
        batch.setCompletionBlock { operations in
            let cancelled = operations.filter { ($0.error as? URLError)?.code == .cancelled }
            print("\(operations.count - cancelled.count) finished, \(cancelled.count) cancelled")
        }
        batch.cancel()
    }

    /// README, "Pin a key, or trust a private CA".
    static func pin(
        _ manager: HTTPRequestOperationManager, _ internalManager: HTTPRequestOperationManager, certificate: Data,
        privateRoot: Data
    ) {
        let policy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [certificate])
        manager.securityPolicy = policy

        let internalPolicy = SecurityPolicy.default()
        internalPolicy.anchorCertificates = [privateRoot]
        internalManager.securityPolicy = internalPolicy
    }

    /// The article on security.
    static func reason(of operation: HTTPRequestOperation) {
        if let error = operation.error as? URLError,
            let reason = error.userInfo[NSUnderlyingErrorKey] as? ServerTrustError
        {
            print(error.code.rawValue, reason.rule.rawValue, reason.reason)
        }
    }

    /// The article on security, and the comment of `ProxyConfiguration`.
    static func throughProxy(_ manager: HTTPRequestOperationManager) throws {
        let proxy = try ProxyServer("http://user:password@proxy.example.com:3128")
        manager.proxyConfiguration = ProxyConfiguration(proxy, excludedHosts: ["localhost", "internal.example.com"])
    }

    /// The article that comes first.
    static func asyncAwait(_ manager: HTTPRequestOperationManager) async throws -> String {
        let book = try await manager.makeOperation(method: "GET", "books/1").decoded(Book.self)
        return book.title
    }

    /// README, "Read a response while it comes".
    static func readLines(_ manager: HTTPRequestOperationManager) async throws {
        let log = try manager.makeOperation(method: "GET", "logs/today")
        for try await line in log.lines where line.contains("error") {
            print(line)
        }
    }
}
