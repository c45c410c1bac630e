// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// A response as the cache has it (RFC 9111, section 3), with all that decides which requests may get it, and until
/// when.
struct StoredResponse: Sendable {
    /// A request field that the response was chosen by: one that `Vary` names.
    struct SelectingField: Sendable, Equatable {
        /// In lower case.
        var name: String
        /// Nil: the request had none.
        var value: String?

        /// Other octets select another response, also where Unicode takes them for the same.
        static func == (left: SelectingField, right: SelectingField) -> Bool {
            left.name.hasOctets(of: right.name) && left.value.hasOctets(of: right.value)
        }
    }

    var head: ResponseHead
    /// The content, out of its codings.
    var content: Data
    /// Seconds since 1970, as all times here.
    var requestTime: Double
    var responseTime: Double
    /// In the order of the names.
    var selecting: [SelectingField] = []
    /// Common to all responses of one URL that were chosen by request fields, until the URL is invalidated.
    var generation = ""
    /// The values that the program wants to be kept with it.
    var userInfo = UserInfo()
    /// True if it must not get into a file, nor what takes its place without a question. Not part of the record.
    var isInMemoryOnly = false
    /// The same, as Foundation says it.
    var storagePolicy: URLCache.StoragePolicy { isInMemoryOnly ? .allowedInMemoryOnly : .allowed }

    struct UserInfo: Sendable {
        // Safe because the values are not changed here: they come from a cached response, and go into one.
        nonisolated(unsafe) var values: [AnyHashable: Any] = [:]
    }

    /// True if the head has all fields that came, also those that are not stored.
    private(set) var isUnfiltered = false

    /// The response without the fields that are not stored.
    var filtered: StoredResponse {
        guard isUnfiltered else { return self }
        var response = self
        response.head = StorageRules.storable(head)
        response.isUnfiltered = false
        return response
    }

    /// Bytes of an entity tag or a date that is sent back.
    private static let longestValidator = 1024

    /// The value that `If-None-Match` is sent with.
    var entityTag: [UInt8]? { validator(.entityTag) }
    /// The value that `If-Modified-Since` is sent with.
    var lastModified: [UInt8]? { validator(.lastModified) }

    /// The head without a length that is not the content's: that was the length in its codings.
    var playableHead: ResponseHead {
        guard let length = head.contentLength, length != Int64(content.count) else { return head }
        return head.replacingFields { !$0.equalsIgnoringCase("Content-Length") }
    }

    /// In octets, since it is sent back as it came; nil also where control characters are among them.
    private func validator(_ field: KnownField) -> [UInt8]? {
        guard let bytes = head.firstBytes(for: field, limit: Self.longestValidator), !bytes.isEmpty,
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return bytes
    }
}

extension StoredResponse {
    /// A response as it came. Its fields are filtered later, by `filtered`.
    init(unfiltered head: ResponseHead, content: Data, requestTime: Double, responseTime: Double) {
        self.init(head: head, content: content, requestTime: requestTime, responseTime: responseTime)
        isUnfiltered = true
    }

    /// The names in `Vary`, in lower case and sorted (RFC 9111, section 4.1); nil: every request is different, or the
    /// field is unreadable.
    static func selectingNames(of head: ResponseHead) -> [String]? {
        var names: Set<[UInt8]> = []
        var isReadable = true
        head.forEachValue(of: .vary) { value in
            guard value.count <= 4096 else { return isReadable = false }
            for member in value.split(separator: UInt8(ascii: ",")) {
                let name = Array(member).trimmingBlanks
                if name.isEmpty { continue }
                // "*" is a token character.
                if name.elementsEqual("*".utf8) || !name.allSatisfy(\.isTokenCharacter) { isReadable = false }
                names.insert(name.map(\.lowercasedASCII))
            }
        }
        guard isReadable, names.count <= 64 else { return nil }
        return names.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    /// Returns true if the response may be given to a request with these fields.
    ///
    /// - Parameter value: the request's field of a name in lower case, normalized.
    func isChosen(by value: (String) -> String?) -> Bool {
        selecting.allSatisfy { $0.value.hasOctets(of: value($0.name)) }
    }

    /// Returns the text that is kept of a request field, to be compared: of a secret only a digest, which distinguishes
    /// it as well.
    ///
    /// - Parameter name: in lower case.
    static func kept(_ value: String, of name: String) -> String {
        guard secretFields.contains(where: { name.hasOctets(of: $0) }) else { return value }
        // Without a digest, it is equal to nothing else.
        return (try? SHA256Hasher.hex(of: Data(value.utf8))) ?? UUID().uuidString
    }

    private static let secretFields = ["authorization", "cookie", "proxy-authorization"]

    /// A request field's value without differences that mean nothing: white space around the members of a list.
    static func normalized(_ value: String) -> String {
        let members = value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { Array($0).trimmingBlanks }
        return String(decoding: Array(members.joined(separator: ", ".utf8)), as: UTF8.self)
    }
}
