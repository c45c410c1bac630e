// SPDX-License-Identifier: MIT
internal import FlyingFox
internal import Foundation

/// The endpoints of httpbin that the demo uses: the same paths, parameters, limits and fields.
struct Endpoints: HTTPHandler {
    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let path = request.path.split(separator: "/").map(String.init)
        let number = path.count == 2 ? Int(path[1]) : nil
        switch (path.first, number) {
        case ("get", nil), ("post", nil), ("put", nil), ("anything", nil):
            return try await echo(request)
        case ("bearer", nil):
            return try bearer(request)
        case ("status", let code?):
            return HTTPResponse(statusCode: HTTPStatusCode(code, phrase: "Status \(code)"))
        case ("delay", let seconds?):
            try await Task.sleep(for: .seconds(min(max(seconds, 0), 10)))
            return try await echo(request)
        case ("bytes", let count?):
            return bytes(min(max(count, 0), 100 * 1024), request)
        case ("range", let count?):
            return RangeEndpoint(count: count, request: request).response
        default:
            return HTTPResponse(statusCode: .notFound)
        }
    }

    /// What was received, as JSON.
    private func echo(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try await request.bodyData
        let contentType = request.headers[.contentType] ?? ""
        let form = FormContent(body, contentType: contentType)
        var headers: [String: String] = [:]
        for (name, value) in request.headers { headers[name.rawValue] = value }
        let json = form == nil ? try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed) : nil
        var reply: [String: Any] = [
            "method": request.method.rawValue,
            "args": Dictionary(request.query.map { ($0.name, $0.value) }) { $1 },
            "headers": headers,
            "url": "http://\(request.headers[.host] ?? "127.0.0.1")\(request.path)",
            "json": json ?? NSNull(),
        ]
        reply["data"] = form == nil ? FormContent.text(body) : ""
        reply["form"] = form?.fields ?? [:]
        reply["files"] = form?.files ?? [:]
        return try Self.json(reply)
    }

    /// 401 without a bearer token, and the token otherwise.
    private func bearer(_ request: HTTPRequest) throws -> HTTPResponse {
        guard let value = request.headers[.authorization], value.hasPrefix("Bearer ") else {
            var headers = HTTPHeaders()
            headers[HTTPHeader("WWW-Authenticate")] = "Bearer"
            return HTTPResponse(statusCode: .unauthorized, headers: headers)
        }
        return try Self.json(["authenticated": true, "token": String(value.dropFirst("Bearer ".count))])
    }

    /// Bytes that look random and follow from the seed.
    private func bytes(_ count: Int, _ request: HTTPRequest) -> HTTPResponse {
        var state = UInt64(request.query.first { $0.name == "seed" }?.value ?? "") ?? 0
        let data = Data(
            (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            })
        return Self.response(data, contentType: "application/octet-stream")
    }

    private static func json(_ object: [String: Any]) throws -> HTTPResponse {
        response(
            try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), contentType: "application/json")
    }

    private static func response(_ content: Data, contentType: String) -> HTTPResponse {
        var headers = HTTPHeaders()
        headers[.contentType] = contentType
        return HTTPResponse(statusCode: .ok, headers: headers, body: content)
    }
}
