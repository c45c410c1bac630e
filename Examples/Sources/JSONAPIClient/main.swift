// SPDX-License-Identifier: MIT

// A client of a JSON API: a manager of its own, parameters and answers as Swift values, and every kind of failure.
//
//   swift run --package-path Examples JSONAPIClient http://127.0.0.1:8000    (an httpbin server)
internal import OperationNetworking

struct Book: Codable, Sendable {
    let title: String
    let pages: Int
}

/// httpbin answers with what it was sent.
struct Echo: Decodable, Sendable {
    let json: Book
}

/// What the server has to say about a request that it refuses.
struct Problem: Decodable {
    let message: String
}

final class BooksClient: HTTPRequestOperationManager, @unchecked Sendable {
    override init(baseURL: URL? = nil) {
        super.init(baseURL: baseURL)
        requestSerializer = JSONRequestSerializer()
        requestSerializer.timeoutInterval = 3
        requestSerializer.setValue("1", forHTTPHeaderField: "X-Client-Version")
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    func create(_ book: Book) async throws -> Book {
        try await send("POST", "anything/books", book, expecting: Echo.self).json
    }

    func send<Value: Decodable & Sendable>(
        _ method: String, _ path: String, _ parameters: (any Encodable)? = nil, expecting type: Value.Type
    ) async throws -> Value {
        let operation = try makeOperation(method: method, path, parameters: parameters)
        operation.responseSerializer = DecodableResponseSerializer<Value>()
        enqueue(operation)
        // Nil without content, as in a 204.
        guard let value = try await operation.value() as? Value else { throw URLError(.zeroByteResource) }
        return value
    }
}

func describe(_ error: any Error) -> String {
    switch error {
    case let error as ResponseSerializationError where error.code == .badServerResponse:
        let status = (error.response as? HTTPURLResponse)?.statusCode ?? 0
        let problem = try? JSONDecoder().decode(Problem.self, from: error.data ?? Data())
        return "refused (\(status)): \(problem?.message ?? "the server does not say why")"
    case let error as ResponseSerializationError where error.code == .cannotDecodeContentData:
        return "not JSON: \(error.response?.mimeType ?? "no type")"
    case let error as ResponseSerializationError:
        if case .keyNotFound(let key, _)? = error.underlyingError as? DecodingError {
            return "other JSON than expected: no \"\(key.stringValue)\""
        }
        return "other JSON than expected: \(error.localizedDescription)"
    case let error as URLError where error.code == .timedOut:
        return "no answer in time"
    default:
        return "failed: \(error.localizedDescription)"
    }
}

guard CommandLine.arguments.count == 2, let baseURL = URL(escaping: CommandLine.arguments[1]) else {
    print("usage: JSONAPIClient BASE-URL")
    exit(64)
}

let client = BooksClient(baseURL: baseURL)

do {
    let book = try await client.create(Book(title: "The Dispossessed", pages: 341))
    print("created: \(book.title), \(book.pages) pages")
} catch {
    print(describe(error))
    exit(1)
}

// What can go wrong, one of each kind.
for path in ["status/404", "status/406", "html", "json", "delay/10"] {
    do {
        _ = try await client.send("GET", path, expecting: Echo.self)
        print("\(path): should have failed")
        exit(1)
    } catch {
        print("\(path): \(describe(error))")
    }
}
