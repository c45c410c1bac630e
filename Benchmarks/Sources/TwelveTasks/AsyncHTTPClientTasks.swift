// SPDX-License-Identifier: MIT
internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOFoundationCompat
internal import NIOHTTP1

// The twelve tasks of Documentation/TwelveTasks.md with AsyncHTTPClient, compiled by this package and not run. What stands
// between the marks goes into the page: see Scripts/twelve-tasks.

struct Book: Codable, Sendable {
    let title: String
}

struct Token: Decodable, Sendable {
    let token: String
}

struct Page: Codable, Sendable {
    let number: Int
}

struct BadStatus: Error {}

enum AsyncHTTPClientTasks {
    static func decode(_ client: HTTPClient, _ base: String) async throws -> Book {
        // task 1
        let response = try await client.execute(HTTPClientRequest(url: base + "books/1"), timeout: .seconds(30))
        guard response.status == .ok else { throw BadStatus() }
        let book = try JSONDecoder().decode(Book.self, from: try await response.body.collect(upTo: 1 << 20))
        // end
        return book
    }

    static func formAndJSON(_ client: HTTPClient, _ base: String, _ book: Book) async throws -> [Book] {
        // task 2
        var components = URLComponents()
        components.queryItems = [URLQueryItem(name: "title", value: book.title)]
        let encoded = components.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B") ?? ""
        func post(_ path: String, _ content: Data, _ type: String) async throws -> Book {
            var request = HTTPClientRequest(url: base + path)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(ByteBuffer(data: content))
            let response = try await client.execute(request, timeout: .seconds(30))
            guard response.status == .ok else { throw BadStatus() }
            return try JSONDecoder().decode(Book.self, from: try await response.body.collect(upTo: 1 << 20))
        }
        let form = try await post("form", Data(encoded.utf8), "application/x-www-form-urlencoded")
        let json = try await post("json", try JSONEncoder().encode(book), "application/json")
        // end
        return [form, json]
    }

    static func upload(_ client: HTTPClient, _ base: String, _ file: URL) async throws {
        // task 3
        struct Chunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
            var body: ByteBuffer
            let total: Int

            func makeAsyncIterator() -> Chunks { self }
            mutating func next() async -> ByteBuffer? {
                guard body.readableBytes > 0 else { return nil }
                let chunk = body.readSlice(length: Swift.min(65_536, body.readableBytes))
                print(total - body.readableBytes, total)
                return chunk
            }
        }
        let boundary = UUID().uuidString
        let disposition = "form-data; name=\"cover\"; filename=\"\(file.lastPathComponent)\""
        var body = ByteBuffer(string: "--\(boundary)\r\nContent-Disposition: \(disposition)\r\n\r\n")
        body.writeData(try Data(contentsOf: file))
        body.writeString("\r\n--\(boundary)--\r\n")
        var request = HTTPClientRequest(url: base + "covers")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "multipart/form-data; boundary=\(boundary)")
        let chunks = Chunks(body: body, total: body.readableBytes)
        request.body = .stream(chunks, length: .known(Int64(body.readableBytes)))
        let response = try await client.execute(request, timeout: .minutes(10))
        guard response.status == .ok else { throw BadStatus() }
        // end
    }

    static func download(_ client: HTTPClient, _ base: String, _ names: [String], to folder: URL) async {
        // task 4
        let downloads = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, name) in names.enumerated() {
                    if number >= 4 { try await group.next() }
                    group.addTask {
                        let path = folder.appendingPathComponent(name).path
                        let delegate = try FileDownloadDelegate(path: path)
                        let request = try HTTPClient.Request(url: base + name)
                        let task = client.execute(request: request, delegate: delegate)
                        _ = try await withTaskCancellationHandler {
                            try await task.futureResult.get()
                        } onCancel: {
                            task.cancel()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        downloads.cancel()
        // end
    }

    static func logIn(_ client: HTTPClient, _ base: String, _ user: [String: String]) async throws -> [Page] {
        // task 5
        @Sendable func send(_ request: HTTPClientRequest) async throws -> ByteBuffer {
            let response = try await client.execute(request, timeout: .seconds(30))
            guard response.status == .ok else { throw BadStatus() }
            return try await response.body.collect(upTo: 1 << 20)
        }
        var login = HTTPClientRequest(url: base + "login")
        login.method = .POST
        login.headers.add(name: "Content-Type", value: "application/json")
        login.body = .bytes(ByteBuffer(data: try JSONEncoder().encode(user)))
        let token = try JSONDecoder().decode(Token.self, from: try await send(login)).token
        let pages = try await withThrowingTaskGroup(of: Page.self) { group in
            for number in 1...10 {
                var request = HTTPClientRequest(url: base + "pages/\(number)")
                request.headers.add(name: "Authorization", value: "Bearer \(token)")
                group.addTask { [request] in try JSONDecoder().decode(Page.self, from: try await send(request)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // end
        return pages
    }

    static func retry(_ client: HTTPClient, _ base: String) async throws -> Book {
        // task 6
        func attempt(_ number: Int) async throws -> Book {
            do {
                let request = HTTPClientRequest(url: base + "books/1")
                let response = try await client.execute(request, timeout: .seconds(30))
                guard response.status == .ok else { throw BadStatus() }
                return try JSONDecoder().decode(Book.self, from: try await response.body.collect(upTo: 1 << 20))
            } catch  where number < 3 && !(error is DecodingError) && !(error is CancellationError) {
                try await Task.sleep(for: .seconds(Double.random(in: 0...0.5) * Double(1 << number)))
                return try await attempt(number + 1)
            }
        }
        let book = try await attempt(1)
        // end
        return book
    }

    // task 7
    actor TokenStore {
        private var token: String?
        private var refresh: Task<String, any Error>?

        func current(refusing old: String?, logIn: @escaping @Sendable () async throws -> String) async throws -> String
        {
            if let token, token != old { return token }
            if let refresh { return try await refresh.value }
            let task = Task { try await logIn() }
            refresh = task
            defer { refresh = nil }
            let new = try await task.value
            token = new
            return new
        }
    }
    static func authorized(
        _ client: HTTPClient, _ store: TokenStore, _ original: HTTPClientRequest,
        logIn: @escaping @Sendable () async throws -> String
    ) async throws -> ByteBuffer {
        var refused: String?
        while true {
            var request = original
            let token = try await store.current(refusing: refused, logIn: logIn)
            request.headers.replaceOrAdd(name: "Authorization", value: "Bearer \(token)")
            let response = try await client.execute(request, timeout: .seconds(30))
            if response.status == .unauthorized, refused == nil {
                refused = token
            } else {
                guard response.status == .ok else { throw BadStatus() }
                return try await response.body.collect(upTo: 1 << 20)
            }
        }
    }
    // end

    // task 8
    // Not possible: there is no hook for the server's certificate. A chain can be limited to roots of one's own.
    // end

    static func resume(_ client: HTTPClient, _ base: String, _ file: URL) async throws {
        // task 9
        // Without a validator: a file that has changed on the server becomes a mixture.
        let manager = FileManager.default
        if !manager.fileExists(atPath: file.path) { try Data().write(to: file) }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        let offset = try handle.seekToEnd()
        var request = HTTPClientRequest(url: base + "large.bin")
        if offset > 0 { request.headers.add(name: "Range", value: "bytes=\(offset)-") }
        let response = try await client.execute(request, timeout: .hours(1))
        if response.status == .rangeNotSatisfiable { return }
        guard response.status == .ok || response.status == .partialContent else { throw BadStatus() }
        if response.status == .ok { try handle.truncate(atOffset: 0) }
        for try await chunk in response.body { try handle.write(contentsOf: Data(buffer: chunk)) }
        // end
    }

    static func limit() -> HTTPClient {
        // task 10
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 2
        let client = HTTPClient(configuration: configuration)
        // end
        return client
    }

    static func lines(_ client: HTTPClient, _ base: String) async throws {
        // task 11
        let response = try await client.execute(HTTPClientRequest(url: base + "log"), timeout: .hours(1))
        guard response.status == .ok else { throw BadStatus() }
        var rest = ByteBuffer()
        for try await chunk in response.body {
            rest.writeImmutableBuffer(chunk)
            while let end = rest.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
                print(rest.readString(length: end - rest.readerIndex) ?? "")
                rest.moveReaderIndex(forwardBy: 1)
            }
        }
        // end
    }

    // task 12
    protocol Loading: Sendable {
        func load(_ request: HTTPClientRequest) async throws -> HTTPClientResponse
    }
    struct Client: Loading {
        let client: HTTPClient
        func load(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
            try await client.execute(request, timeout: .seconds(30))
        }
    }
    struct Stub: Loading {
        func load(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
            HTTPClientResponse(status: .ok, body: .bytes(ByteBuffer(string: #"{"title": "Lavinia"}"#)))
        }
    }
    static func stubbed(_ loader: any Loading, _ base: String) async throws -> Book {
        let response = try await loader.load(HTTPClientRequest(url: base + "books/1"))
        guard response.status == .ok else { throw BadStatus() }
        return try JSONDecoder().decode(Book.self, from: try await response.body.collect(upTo: 1 << 20))
    }
    // end
}
