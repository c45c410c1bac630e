// SPDX-License-Identifier: MIT
package import FoundationNetworking
package import NetworkingTransport

/// A response as the library's own serializers look at it: by its bytes, as long as Foundation's object is not needed.
package struct SerializedResponse {
    /// The status code of an HTTP response; nil: the response is not HTTP's.
    package let statusCode: Int?
    /// The media type in lower case; empty: none.
    package let mediaType: String
    /// In lower case; nil: the response names none.
    package let charset: String?
    private let makeFace: () -> URLResponse?

    /// - Parameter face: gives Foundation's object, for errors and for serializers of others.
    package init(_ head: ResponseHead, face: @escaping () -> URLResponse?) {
        let type = head.mediaType
        statusCode = head.statusCode
        mediaType = type?.essence ?? ""
        charset = type?.charset
        makeFace = face
    }

    package init(_ response: URLResponse?) {
        statusCode = (response as? HTTPURLResponse)?.statusCode
        makeFace = { response }
        if let face = response as? ResponseFace {
            mediaType = face.mimeType ?? ""
            charset = face.textEncodingName
        } else if let response, type(of: response) == HTTPURLResponse.self, let response = response as? HTTPURLResponse
        {
            // Foundation sees no name of a parameter that has a capital letter.
            let type = MediaType.of(response)
            mediaType = type?.essence ?? ""
            charset = type?.charset
        } else {
            // Of a class that knows better.
            mediaType = response?.mimeType ?? ""
            charset = response?.textEncodingName
        }
    }

    /// True if its status is one without content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5).
    var hasNoContent: Bool { statusCode == 204 || statusCode == 205 || statusCode == 304 }

    /// Foundation's object, made when it is asked for.
    package var urlResponse: URLResponse? { makeFace() }
}

extension MediaType {
    /// The type that the field of a response names, for responses that the library did not make.
    fileprivate static func of(_ response: HTTPURLResponse) -> MediaType? {
        guard let value = response.value(forHTTPHeaderField: "Content-Type"),
            value.utf8.count <= ResponseHead.longestParsedValue
        else { return nil }
        return last(in: [Array(value.utf8)])
    }
}
