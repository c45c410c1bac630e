// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// A stored response as Foundation's type. Its `response` is made when it is asked for.
// Sendable because nothing in it changes.
final class ShownResponse: CachedURLResponse, @unchecked Sendable {
    private let stored: StoredResponse
    private let url: URL

    init(_ stored: StoredResponse, url: URL, policy: URLCache.StoragePolicy) {
        self.stored = stored
        self.url = url
        super.init(
            response: URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil),
            data: Data(), userInfo: nil, storagePolicy: policy)
    }

    override var response: URLResponse { ResponseFace(head: stored.head, url: url) ?? super.response }
    override var data: Data { stored.content }
    override var userInfo: [AnyHashable: Any]? { stored.userInfo.values.isEmpty ? nil : stored.userInfo.values }

    /// True if it must not be kept in a file: what is shown in Foundation's memory has that `storagePolicy` in any case.
    var isInMemoryOnly: Bool { stored.isInMemoryOnly }

    /// The bytes that Foundation counts for it.
    static func cost(_ stored: StoredResponse) -> Int { stored.content.count + 500 * stored.userInfo.values.count }
}
