// SPDX-License-Identifier: MIT
internal import Dispatch
internal import OperationNetworking

// The twelve tasks of Documentation/TwelveTasks.md with this library, run by `TwelveTasksTests`. What stands between the
// marks goes into the page: see Scripts/twelve-tasks.

struct Token: Decodable, Sendable {
    let token: String
}

struct Page: Codable, Sendable, Equatable {
    let number: Int
}

enum OperationNetworkingTasks {
    static func decode(_ manager: HTTPRequestOperationManager) async throws -> Book {
        // task 1
        let book = try await manager.makeOperation(method: "GET", "books/1").decoded(Book.self)
        // end
        return book
    }

    static func formAndJSON(_ manager: HTTPRequestOperationManager, _ book: Book) async throws -> [Book] {
        // task 2
        let form = try await manager.makeOperation(method: "POST", "form", parameters: book).decoded(Book.self)
        manager.requestSerializer = JSONRequestSerializer()
        let json = try await manager.makeOperation(method: "POST", "json", parameters: book).decoded(Book.self)
        // end
        return [form, json]
    }

    static func upload(_ manager: HTTPRequestOperationManager, _ file: URL) async throws {
        // task 3
        let upload = try manager.makeOperation(
            method: "POST", "covers", constructingBodyWith: { try $0.appendPart(withFileURL: file, name: "cover") })
        upload.setUploadProgressBlock { _, sent, total in print(sent, total) }
        _ = try await upload.data()
        // end
    }

    static func download(_ manager: HTTPRequestOperationManager, _ names: [String], to folder: URL) throws {
        // task 4
        manager.responseSerializer = HTTPResponseSerializer()
        manager.operationQueue.maxConcurrentOperationCount = 4
        for name in names {
            let download = try manager.makeOperation(method: "GET", name)
            download.downloadDestination = DownloadDestination(fileURL: folder.appendingPathComponent(name))
            manager.enqueue(download)
        }
        manager.cancelAllOperations()
        // end
    }

    static func logIn(_ manager: HTTPRequestOperationManager, _ user: [String: String]) async throws -> [Page] {
        // task 5
        let login = try await manager.makeOperation(method: "POST", "login", parameters: user).decoded(Token.self)
        manager.requestSerializer.setValue("Bearer \(login.token)", forHTTPHeaderField: "Authorization")
        let operations = try (1...10).map { try manager.makeOperation(method: "GET", "pages/\($0)") }
        manager.enqueue(OperationBatch(operations))
        var pages: [Page] = []
        for operation in operations { pages.append(try await operation.decoded(Page.self)) }
        // end
        return pages
    }

    static func retry(_ manager: HTTPRequestOperationManager) async throws -> Book {
        // task 6
        manager.retryPolicy = RetryPolicy()
        let book = try await manager.makeOperation(method: "GET", "books/1").decoded(Book.self)
        // end
        return book
    }

    static func refresh(
        _ manager: HTTPRequestOperationManager, _ logIn: @escaping @Sendable () async throws -> String
    ) async throws -> Book {
        // task 7
        manager.interceptors = [TokenRefresher { try await logIn() }]
        let book = try await manager.makeOperation(method: "GET", "books/1").decoded(Book.self)
        // end
        return book
    }

    static func pin(_ manager: HTTPRequestOperationManager, _ certificate: Data) async throws -> Book {
        // task 8
        manager.securityPolicy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [certificate])
        let book = try await manager.makeOperation(method: "GET", "books/1").decoded(Book.self)
        // end
        return book
    }

    static func resume(_ manager: HTTPRequestOperationManager, _ file: URL) async throws {
        // task 9
        let download = try manager.makeOperation(method: "GET", "large.bin")
        download.responseSerializer = HTTPResponseSerializer()
        download.downloadDestination = DownloadDestination(fileURL: file)
        _ = try await download.data()
        // end
    }

    static func limit(_ manager: HTTPRequestOperationManager) {
        // task 10
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationsPerHost = 2
        manager.operationQueue = queue
        // end
    }

    static func lines(_ manager: HTTPRequestOperationManager) async throws {
        // task 11
        for try await line in try manager.makeOperation(method: "GET", "log").lines {
            print(line)
        }
        // end
    }
}
