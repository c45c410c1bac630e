// SPDX-License-Identifier: MIT
import OperationNetworking
import Testing

/// A response built by hand.
func httpResponse(_ status: Int, _ contentType: String? = nil, path: String = "/get") -> HTTPURLResponse? {
    URL(string: "http://127.0.0.1\(path)").flatMap {
        HTTPURLResponse(
            url: $0, statusCode: status, httpVersion: "HTTP/1.1",
            headerFields: contentType.map { ["Content-Type": $0] } ?? [:])
    }
}

/// What a serializer makes of a response, in a form a table can hold.
struct Outcome: Equatable, CustomStringConvertible {
    /// The codes of the error and of what lies beneath it; empty for success.
    var codes: [Int] = []
    /// The object returned or carried by the error, as text.
    var object: String?

    var description: String { "codes \(codes), object \(object ?? "nil")" }

    static func object(_ text: String?) -> Outcome { Outcome(object: text) }
    static func failure(_ codes: Int..., object: String? = nil) -> Outcome { Outcome(codes: codes, object: object) }
}

extension URLResponseSerialization {
    func outcome(_ response: URLResponse?, _ data: Data?) -> Outcome {
        do {
            return Outcome(object: try responseObject(for: response, data: data).map(text))
        } catch let error as ResponseSerializationError {
            var codes: [Int] = []
            var next: (any Error)? = error
            while let error = next {
                codes.append((error as NSError).code)
                next = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            }
            return Outcome(codes: codes, object: error.responseObject.map(text))
        } catch {
            return .failure(0, object: "\(error)")
        }
    }

    private func text(_ object: Any) -> String {
        switch object {
        case let data as Data: "data:" + String(decoding: data, as: UTF8.self)
        case let number as NSNumber: "\(number)"
        case let string as String: string
        case let object where JSONSerialization.isValidJSONObject(object):
            (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]))
                .map { String(decoding: $0, as: UTF8.self) } ?? "?"
        default: "\(object)"
        }
    }
}

/// One line of a table: a response, its body and what must come of it.
struct ResponseCase: Sendable, CustomTestStringConvertible {
    var name: String
    var status: Int
    var type: String?
    var body: Data?
    var expected: Outcome

    init(_ name: String, _ status: Int, _ type: String?, _ body: String?, _ expected: Outcome) {
        self.init(name, status, type, bytes: body.map { Data($0.utf8) }, expected)
    }

    init(_ name: String, _ status: Int, _ type: String?, bytes: Data?, _ expected: Outcome) {
        self.name = name
        self.status = status
        self.type = type
        body = bytes
        self.expected = expected
    }

    var testDescription: String { name }

    func outcome(_ serializer: some URLResponseSerialization) -> Outcome {
        serializer.outcome(httpResponse(status, type), body)
    }
}
