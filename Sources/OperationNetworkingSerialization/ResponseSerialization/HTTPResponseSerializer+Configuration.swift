// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

extension HTTPResponseSerializer {
    /// Every setting of the class: copied and archived as one value, so that no setting is forgotten.
    struct Configuration: Sendable {
        var statusCodes: IndexSet? = IndexSet(integersIn: 200..<300) {
            didSet { deriveStatusCodes() }
        }
        /// Compared with the media type of a response.
        var contentTypes: Set<String>? {
            didSet { deriveContentTypes() }
        }
        /// A `String.Encoding`'s raw value.
        var stringEncoding = String.Encoding.utf8.rawValue

        /// `statusCodes` if they are one range: an `IndexSet` is slow to ask.
        private var contiguousStatusCodes: Range<Int>? = 200..<300
        private var normalizedContentTypes: Set<String>?

        func accepts(statusCode: Int) -> Bool {
            if let contiguousStatusCodes { return contiguousStatusCodes.contains(statusCode) }
            guard let statusCodes else { return true }
            return statusCode >= 0 && statusCodes.contains(statusCode)
        }

        /// Returns the reason that a response is not acceptable; `nil` if it is.
        func refusal(of response: SerializedResponse, data: Data?) -> ResponseSerializationError? {
            guard let statusCode = response.statusCode else { return nil }
            let contentTypeError = contentTypeRefusal(of: response, data: data)
            guard !accepts(statusCode: statusCode) else { return contentTypeError }
            // In lower case as on Apple's systems, and so in AFNetworking's text.
            let phrase = HTTPURLResponse.localizedString(forStatusCode: statusCode)
            let reason = phrase.lowercased()  // checked: Foundation's
            return ResponseSerializationError(
                code: .badServerResponse, message: "Request failed: \(reason) (\(statusCode))",
                response: response.urlResponse, data: data, underlyingError: contentTypeError)
        }

        private func contentTypeRefusal(of response: SerializedResponse, data: Data?) -> ResponseSerializationError? {
            guard let contentTypes, let normalizedContentTypes, let data else { return nil }
            let received = response.mediaType
            guard !contentTypes.contains(received) else { return nil }
            let mediaType = Self.normalized(received)
            guard !normalizedContentTypes.contains(mediaType) else { return nil }
            if data.isEmpty, mediaType.isEmpty || response.hasNoContent { return nil }
            return ResponseSerializationError(
                code: .cannotDecodeContentData,
                message: "Request failed: unacceptable content-type: \(mediaType.isEmpty ? "(none)" : mediaType)",
                response: response.urlResponse, data: data)
        }

        /// Foundation on Linux keeps the spaces around a media type.
        private static func normalized(_ mediaType: String) -> String {
            mediaType.trimmingCharacters(in: .whitespaces).lowercased()  // checked: the program's own
        }

        private mutating func deriveStatusCodes() {
            let ranges = statusCodes?.rangeView
            contiguousStatusCodes = ranges?.count == 1 ? ranges?.first : nil
        }

        private mutating func deriveContentTypes() {
            normalizedContentTypes = contentTypes.map { Set($0.map(Self.normalized)) }
        }

        /// For initializers, in which no observer runs.
        fileprivate mutating func deriveAll() {
            deriveStatusCodes()
            deriveContentTypes()
        }
    }
}

extension HTTPResponseSerializer.Configuration: Codable {
    private enum CodingKeys: String, CodingKey { case statusCodes, contentTypes, stringEncoding }

    /// As many as there are status codes of three digits.
    private static let mostRanges = 1000

    /// Decodes what a checked archive may hold; the decoder of `IndexSet` would trap on a reversed range.
    init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let bounds = try values.decodeIfPresent([[Int]].self, forKey: .statusCodes)
        statusCodes = try bounds.map { bounds in
            var codes = IndexSet()
            guard bounds.count <= Self.mostRanges else {
                throw DecodingError.dataCorruptedError(
                    forKey: .statusCodes, in: values,
                    debugDescription: "\(bounds.count) ranges of status codes are more than \(Self.mostRanges)")
            }
            for bound in bounds {
                guard bound.count == 2, 0 <= bound[0], bound[0] < bound[1], bound[1] < Int.max else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .statusCodes, in: values,
                        debugDescription: "\(bound) is no range of status codes: expected two rising numbers")
                }
                codes.insert(integersIn: bound[0]..<bound[1])
            }
            return codes
        }
        contentTypes = try values.decodeIfPresent(Set<String>.self, forKey: .contentTypes)
        stringEncoding = try values.decode(UInt.self, forKey: .stringEncoding)
        deriveAll()
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        let bounds = statusCodes.map { $0.rangeView.map { [$0.lowerBound, $0.upperBound] } }
        try values.encodeIfPresent(bounds, forKey: .statusCodes)
        try values.encodeIfPresent(contentTypes, forKey: .contentTypes)
        try values.encode(stringEncoding, forKey: .stringEncoding)
    }
}

extension HTTPResponseSerializer.Configuration: ArchivedSettings {
    static var archiveKey: String { "HTTPResponseSerializer.settings" }
}
