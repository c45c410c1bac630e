// SPDX-License-Identifier: MIT
import Alamofire
import Foundation

// The twelve tasks of Documentation/TwelveTasks.md with Alamofire 5.12, after its documentation. Not compiled: this package
// does not fetch Alamofire. What stands between the marks goes into the page: see Scripts/twelve-tasks.

enum AlamofireTasks {
    static func decode(_ base: URL) async throws -> Book {
        // task 1
        let book = try await AF.request(base.appendingPathComponent("books/1")).validate()
            .serializingDecodable(Book.self).value
        // end
        return book
    }

    static func formAndJSON(_ base: URL, _ book: Book) async throws -> [Book] {
        // task 2
        let form = try await AF.request(base.appendingPathComponent("form"), method: .post, parameters: book)
            .validate().serializingDecodable(Book.self).value
        let json = try await AF.request(
            base.appendingPathComponent("json"), method: .post, parameters: book, encoder: .json
        ).validate().serializingDecodable(Book.self).value
        // end
        return [form, json]
    }

    static func upload(_ base: URL, _ file: URL) async throws {
        // task 3
        let covers = base.appendingPathComponent("covers")
        _ = try await AF.upload(multipartFormData: { $0.append(file, withName: "cover") }, to: covers)
            .uploadProgress { print($0.completedUnitCount, $0.totalUnitCount) }
            .validate().serializingData().value
        // end
    }

    static func download(_ base: URL, _ names: [String], to folder: URL) {
        // task 4
        let configuration = URLSessionConfiguration.af.default
        configuration.httpMaximumConnectionsPerHost = 4
        let session = Session(configuration: configuration)
        for name in names {
            session.download(base.appendingPathComponent(name)) { _, _ in (folder.appendingPathComponent(name), []) }
                .validate().response { print($0.error ?? "complete") }
        }
        session.cancelAllRequests()
        // end
    }

    static func logIn(_ base: URL, _ user: [String: String]) async throws -> [Page] {
        // task 5
        let login = try await AF.request(base.appendingPathComponent("login"), method: .post, parameters: user)
            .validate().serializingDecodable(Token.self).value
        let headers: HTTPHeaders = [.authorization(bearerToken: login.token)]
        let pages = try await withThrowingTaskGroup(of: Page.self) { group in
            for number in 1...10 {
                let request = AF.request(base.appendingPathComponent("pages/\(number)"), headers: headers)
                group.addTask { try await request.validate().serializingDecodable(Page.self).value }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // end
        return pages
    }

    static func retry(_ base: URL) async throws -> Book {
        // task 6
        let book = try await AF.request(base.appendingPathComponent("books/1"), interceptor: .retryPolicy)
            .validate().serializingDecodable(Book.self).value
        // end
        return book
    }

    static func refresh(_ base: URL, _ logIn: @escaping @Sendable () async throws -> String) async throws -> Book {
        // task 7
        struct Bearer: AuthenticationCredential {
            let token: String
            let requiresRefresh = false
        }
        final class LogIn: Authenticator {
            let logIn: @Sendable () async throws -> String
            init(_ logIn: @escaping @Sendable () async throws -> String) { self.logIn = logIn }

            func apply(_ credential: Bearer, to urlRequest: inout URLRequest) {
                urlRequest.headers.add(.authorization(bearerToken: credential.token))
            }
            func refresh(
                _ credential: Bearer, for session: Session,
                completion: @escaping @Sendable (Result<Bearer, any Error>) -> Void
            ) {
                Task {
                    do { completion(.success(Bearer(token: try await logIn()))) } catch { completion(.failure(error)) }
                }
            }
            func didRequest(
                _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
            ) -> Bool { response.statusCode == 401 }
            func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Bearer) -> Bool {
                urlRequest.headers["Authorization"] == "Bearer \(credential.token)"
            }
        }
        let interceptor = AuthenticationInterceptor(authenticator: LogIn(logIn), credential: Bearer(token: ""))
        let book = try await AF.request(base.appendingPathComponent("books/1"), interceptor: interceptor)
            .validate().serializingDecodable(Book.self).value
        // end
        return book
    }

    static func pin(_ base: URL, _ key: SecKey) async throws -> Book {
        // task 8
        // Not on Linux, where Alamofire has no trust evaluation.
        let evaluator = PublicKeysTrustEvaluator(keys: [key])
        let session = Session(serverTrustManager: ServerTrustManager(evaluators: ["api.example.com": evaluator]))
        let book = try await session.request(base.appendingPathComponent("books/1")).validate()
            .serializingDecodable(Book.self).value
        // end
        return book
    }

    static func resume(_ base: URL, _ file: URL, _ state: URL) async throws {
        // task 9
        // Not on Linux, where Foundation has no resume data.
        let destination: DownloadRequest.Destination = { _, _ in (file, [.removePreviousFile]) }
        let download: DownloadRequest
        if let data = try? Data(contentsOf: state) {
            download = AF.download(resumingWith: data, to: destination)
        } else {
            download = AF.download(base.appendingPathComponent("large.bin"), to: destination)
        }
        let response = await download.validate().serializingDownloadedFileURL().response
        try response.resumeData?.write(to: state)
        // end
    }

    static func limit() -> Session {
        // task 10
        let configuration = URLSessionConfiguration.af.default
        configuration.httpMaximumConnectionsPerHost = 2
        let session = Session(configuration: configuration)
        // end
        return session
    }

    static func lines(_ base: URL) async {
        // task 11
        var rest = ""
        for await text in AF.streamRequest(base.appendingPathComponent("log")).validate().streamTask()
            .streamingStrings()
        {
            rest += text.value ?? ""
            while let end = rest.firstIndex(where: \.isNewline) {
                print(rest[..<end])
                rest.removeSubrange(...end)
            }
        }
        // end
    }

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
        let session = Session(configuration: configuration)
        return try await session.request(base.appendingPathComponent("books/1")).serializingDecodable(Book.self).value
    }
    // end
}
