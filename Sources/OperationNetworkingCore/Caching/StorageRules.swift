// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The rules for the responses that a private cache stores, and for their fields (RFC 9111, section 3).
enum StorageRules {
    /// Returns true if a response has any field that makes it worth storing. Takes hardly any work.
    static func mayBeOfUse(_ head: ResponseHead) -> Bool {
        head.contains(.cacheControl) || head.contains(.expires) || head.contains(.entityTag)
            || head.contains(.lastModified)
    }

    /// Returns true if a response to a GET may be stored, and is of use then. With `ofAnyAge`, it may also be of use to
    /// a request that takes any stored response, fresh or not.
    static func allows(_ head: ResponseHead, request: CacheControl, ofAnyAge: Bool = false) -> Bool {
        guard isPermitted(head, request: request) else { return false }
        if ofAnyAge, isHeuristicallyCacheable(head.statusCode) { return true }
        let control = CacheControl(head)
        let isExplicit = control.maxAge ?? 0 > 0 || head.contains(.expires)
        guard isExplicit || isHeuristicallyCacheable(head.statusCode) || control.isPublic || control.isPrivate else {
            return false
        }
        // What is never fresh and cannot be validated is never used.
        return isExplicit || head.contains(.entityTag) || head.contains(.lastModified)
            || control.staleIfError != nil || control.staleWhileRevalidate != nil
    }

    /// Returns true if nothing forbids storing a response to a GET, whether it is of use or not.
    static func isPermitted(_ head: ResponseHead, request: CacheControl) -> Bool {
        guard isComplete(head.statusCode), !request.noStore, StoredResponse.selectingNames(of: head) != nil else {
            return false
        }
        let control = CacheControl(head)
        return !control.noStore || (control.mustUnderstand && isHeuristicallyCacheable(head.statusCode))
    }

    /// Statuses whose responses are whole and final. 401 and 407 are about a credential.
    private static func isComplete(_ status: Int) -> Bool {
        switch status {
        case 206, 304, 401, 407: false
        default: 200..<600 ~= status
        }
    }

    /// RFC 9110, section 15.1.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Returns true if a request of this method leaves what is stored as it is (RFC 9110, section 9.2.1).
    static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: false
        }
    }

    /// Fields of a connection, not of the response (section 3.1).
    private static func isConnectionField(_ name: UnsafeRawBufferPointer) -> Bool {
        // One comparison or two for names of these lengths, and none for others.
        switch name.count {
        case 2: name.equalsIgnoringCase("TE")
        case 7: name.equalsIgnoringCase("Upgrade") || name.equalsIgnoringCase("Trailer")
        case 10: name.equalsIgnoringCase("Connection") || name.equalsIgnoringCase("Keep-Alive")
        case 16: name.equalsIgnoringCase("Proxy-Connection")
        case 17: name.equalsIgnoringCase("Transfer-Encoding")
        case 18: name.equalsIgnoringCase("Proxy-Authenticate")
        case 25: name.equalsIgnoringCase("Proxy-Authentication-Info")
        default: false
        }
    }

    /// The fields that a 304 does not change: they say how the content was coded, and the stored content is decoded
    /// (section 3.2).
    private static let contentFields: [StaticString] = ["Content-Length", "Content-Encoding", "Content-Range"]

    /// The head without the fields that are not stored.
    static func storable(_ head: ResponseHead) -> ResponseHead {
        var dropped = CacheControl(head).noCacheFields
        let rest = head.removingFields { name, value in
            guard isConnectionField(name) else { return false }
            // And those that it names.
            if name.equalsIgnoringCase("Connection"), value.count <= 4096, !value.equalsIgnoringCase("keep-alive") {
                dropped.formUnion(CacheControl.fieldNames(Array(value)))
            }
            return true
        }
        return dropped.isEmpty ? rest : rest.removingFields { name, _ in dropped.contains(name.map(\.lowercasedASCII)) }
    }

    /// Returns a stored response with the fields of the 304 that validated it.
    static func updated(
        _ stored: StoredResponse, by head: ResponseHead, requestTime: Double, responseTime: Double
    ) -> StoredResponse {
        let update = storable(head).replacingFields { name in
            !contentFields.contains { name.equalsIgnoringCase($0) }
        }
        var replaced: Set<[UInt8]> = []
        update.forEachFieldBytes { name, _ in replaced.insert(name.map(\.lowercasedASCII)) }
        var result = stored
        result.head = storable(
            stored.head.replacingFields(adding: update.rawFields) { name in
                // Of the answer that was stored, not of this one.
                if name.equalsIgnoringCase("Age") || name.equalsIgnoringCase("Date") { return false }
                return !replaced.contains(name.map(\.lowercasedASCII))
            })
        result.requestTime = requestTime
        result.responseTime = responseTime
        return result
    }

    /// Returns true if a 304 is about the stored response (section 4.3.4). If it names an entity tag, the comparison is
    /// weak, because servers call the tag of the same content weak in one response, for its coding, and strong in the
    /// next. A strong tag is not one of a response without any.
    static func confirms(_ head: ResponseHead, _ stored: StoredResponse) -> Bool {
        guard let tag = head.firstBytes(for: .entityTag), !tag.isEmpty else { return true }
        func isWeak(_ tag: [UInt8]) -> Bool { tag.starts(with: "W/".utf8) }
        func opaque(_ tag: [UInt8]) -> ArraySlice<UInt8> { isWeak(tag) ? tag.dropFirst(2) : tag[...] }
        guard let own = stored.head.firstBytes(for: .entityTag), !own.isEmpty else { return isWeak(tag) }
        return opaque(tag) == opaque(own)
    }
}
