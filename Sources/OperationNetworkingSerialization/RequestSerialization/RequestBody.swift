// SPDX-License-Identifier: MIT
public import Foundation
internal import FoundationNetworking

/// The content of one request, and its form, whatever form the manager's request serializer gives to parameters.
///
/// ```swift
/// manager.post("books", body: .json(book))
/// manager.post("login", body: .form(["name": "kim", "password": password]))
/// let photos = RequestBody.multipart(["album": "7"]) {
///     try $0.appendPart(withFileURL: photo, name: "photo")
/// }
/// manager.post("photos", body: photos)
/// ```
///
/// Header fields, time-out and the other settings are the manager's serializer's; `Content-Type` is the body's.
public struct RequestBody {
    typealias Apply = (inout URLRequest, HTTPRequestSerializer, URL, _ method: String) throws -> Void

    /// Makes the request's content.
    let apply: Apply

    private init(_ apply: @escaping Apply) {
        self.apply = apply
    }

    /// Fields of a form (`application/x-www-form-urlencoded`), as ``HTTPRequestSerializer`` writes them.
    public static func form(_ parameters: Any) -> RequestBody { serialized(parameters, by: HTTPRequestSerializer()) }

    /// JSON of an `Encodable` value, dictionary, array or scalar.
    public static func json(_ value: Any) -> RequestBody {
        serialized(value, by: JSONRequestSerializer(writingOptions: .fragmentsAllowed))
    }

    /// A property list of an `Encodable` value, dictionary, array or scalar.
    ///
    /// - Parameters:
    ///   - value: what is written.
    ///   - format: XML by default.
    public static func propertyList(
        _ value: Any, format: PropertyListSerialization.PropertyListFormat = .xml
    ) -> RequestBody {
        serialized(value, by: PropertyListRequestSerializer(format: format))
    }

    /// Content that is finished.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RequestBody {
        RequestBody { request, serializer, _, _ in
            try serializer.snapshot.setBody(data, contentType: contentType, of: &request)
        }
    }

    /// A multipart form (`multipart/form-data`), which is streamed.
    ///
    /// - Parameters:
    ///   - parameters: sent as parts, before those that `block` appends. `nil` by default: none.
    ///   - block: appends parts; called once, on the thread that makes the request.
    public static func multipart(
        _ parameters: [String: Any]? = nil, constructingBodyWith block: @escaping (any MultipartFormData) throws -> Void
    ) -> RequestBody {
        RequestBody { request, serializer, url, method in
            request = try serializer.multipartFormRequest(
                withMethod: method, urlString: url.absoluteString, parameters: parameters, constructingBodyWith: block)
        }
    }

    private static func serialized(_ value: Any, by writer: HTTPRequestSerializer) -> RequestBody {
        RequestBody { request, serializer, _, _ in
            try writer.setContent(value, of: &request, serializer.snapshot)
        }
    }
}

extension HTTPRequestSerializer {
    /// A request with this serializer's settings and the given body.
    package final func request(withMethod method: String, url: URL, body: RequestBody) throws -> URLRequest {
        var request = try request(withMethod: method, url: url, parameters: nil)
        // What a serializer says of the parameters that there are not.
        request.httpBody = nil
        request.setValue(nil, forHTTPHeaderField: "Content-Type")
        // One that was set for all requests says how the caller has coded this body, too.
        request.setValue(value(forHTTPHeaderField: "Content-Encoding"), forHTTPHeaderField: "Content-Encoding")
        try body.apply(&request, self, url, method)
        return request
    }
}
