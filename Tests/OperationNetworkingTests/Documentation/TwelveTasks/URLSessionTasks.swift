// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

// The twelve tasks of Documentation/TwelveTasks.md with Foundation's URLSession on Linux: compiled, not run. What stands
// between the marks goes into the page: see Scripts/twelve-tasks.

enum URLSessionTasks {
    static func decode(_ session: URLSession, _ base: URL) async throws -> Book {
        // task 1
        let (data, response) = try await session.data(from: base.appendingPathComponent("books/1"))
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        let book = try JSONDecoder().decode(Book.self, from: data)
        // end
        return book
    }

    static func formAndJSON(_ session: URLSession, _ base: URL, _ book: Book) async throws -> [Book] {
        // task 2
        var components = URLComponents()
        components.queryItems = [URLQueryItem(name: "title", value: book.title)]
        let encoded = components.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B") ?? ""
        func post(_ path: String, _ content: Data, _ type: String) async throws -> Book {
            var request = URLRequest(url: base.appendingPathComponent(path))
            request.httpMethod = "POST"
            request.setValue(type, forHTTPHeaderField: "Content-Type")
            let (data, response) = try await session.upload(for: request, from: content)
            guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
            return try JSONDecoder().decode(Book.self, from: data)
        }
        let form = try await post("form", Data(encoded.utf8), "application/x-www-form-urlencoded")
        let json = try await post("json", try JSONEncoder().encode(book), "application/json")
        // end
        return [form, json]
    }

    static func upload(_ session: URLSession, _ base: URL, _ file: URL) async throws {
        // task 3
        final class Progress: NSObject, URLSessionTaskDelegate, Sendable {
            func urlSession(
                _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
                totalBytesSent: Int64, totalBytesExpectedToSend: Int64
            ) {
                print(totalBytesSent, totalBytesExpectedToSend)
            }
        }
        let boundary = UUID().uuidString
        var request = URLRequest(url: base.appendingPathComponent("covers"))
        request.httpMethod = "POST"
        request.setValue("multipart/form-data; boundary=\(boundary)", forHTTPHeaderField: "Content-Type")
        let disposition = "form-data; name=\"cover\"; filename=\"\(file.lastPathComponent)\""
        var body = Data("--\(boundary)\r\nContent-Disposition: \(disposition)\r\n\r\n".utf8)
        body += try Data(contentsOf: file)
        body += Data("\r\n--\(boundary)--\r\n".utf8)
        let (_, response) = try await session.upload(for: request, from: body, delegate: Progress())
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        // end
    }

    static func download(_ base: URL, _ names: [String], to folder: URL) {
        // task 4
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 4
        let session = URLSession(configuration: configuration)
        for name in names {
            let task = session.downloadTask(with: base.appendingPathComponent(name)) { file, response, error in
                guard let file, (response as? HTTPURLResponse)?.statusCode == 200 else { return }
                try? FileManager.default.moveItem(at: file, to: folder.appendingPathComponent(name))
            }
            task.resume()
        }
        session.invalidateAndCancel()
        // end
    }

    static func logIn(_ session: URLSession, _ base: URL, _ user: [String: String]) async throws -> [Page] {
        // task 5
        func send(_ request: URLRequest) async throws -> Data {
            let (data, response) = try await session.data(for: request)
            guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
            return data
        }
        var login = URLRequest(url: base.appendingPathComponent("login"))
        login.httpMethod = "POST"
        login.setValue("application/json", forHTTPHeaderField: "Content-Type")
        login.httpBody = try JSONEncoder().encode(user)
        let token = try JSONDecoder().decode(Token.self, from: try await send(login)).token
        let pages = try await withThrowingTaskGroup(of: Page.self) { group in
            for number in 1...10 {
                var request = URLRequest(url: base.appendingPathComponent("pages/\(number)"))
                request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                group.addTask { [request] in try JSONDecoder().decode(Page.self, from: try await send(request)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // end
        return pages
    }

    static func retry(_ session: URLSession, _ base: URL) async throws -> Book {
        // task 6
        func attempt(_ number: Int) async throws -> Book {
            do {
                let (data, response) = try await session.data(from: base.appendingPathComponent("books/1"))
                let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                if number < 3, [408, 429, 500, 502, 503, 504].contains(status) { throw URLError(.badServerResponse) }
                return try JSONDecoder().decode(Book.self, from: data)
            } catch is URLError where number < 3 {
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
        _ session: URLSession, _ store: TokenStore, _ original: URLRequest,
        logIn: @escaping @Sendable () async throws -> String
    ) async throws -> Data {
        var refused: String?
        while true {
            var request = original
            let token = try await store.current(refusing: refused, logIn: logIn)
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            let (data, response) = try await session.data(for: request)
            let status = (response as? HTTPURLResponse)?.statusCode
            if status == 401, refused == nil {
                refused = token
            } else {
                guard status == 200 else { throw URLError(.userAuthenticationRequired) }
                return data
            }
        }
    }
    // end

    // task 8
    // Not possible: Foundation on Linux does not show the server's certificate.
    // end

    // task 9
    // Not possible: Foundation on Linux has no resume data. By hand: a `Range` request, appended to a file.
    // end

    static func limit() -> URLSession {
        // task 10
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 2
        let session = URLSession(configuration: configuration)
        // end
        return session
    }

    // task 11
    final class LineReader: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        // Used on the session's delegate queue only.
        private var rest = Data()

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                print(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                rest = Data(rest[rest.index(after: end)...])
            }
        }
    }
    static func lines(_ base: URL) {
        let session = URLSession(configuration: .default, delegate: LineReader(), delegateQueue: nil)
        session.dataTask(with: base.appendingPathComponent("log")).resume()
    }
    // end

    // task 12
    final class Stub: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
        override func startLoading() {
            guard let url = request.url,
                let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
            else { return }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data(#"{"title": "Lavinia"}"#.utf8))
            client?.urlProtocolDidFinishLoading(self)
        }
        override func stopLoading() {}
    }
    static func stubbed(_ base: URL) async throws -> Book {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Stub.self]
        let session = URLSession(configuration: configuration)
        let (data, _) = try await session.data(from: base.appendingPathComponent("books/1"))
        return try JSONDecoder().decode(Book.self, from: data)
    }
    // end
}
