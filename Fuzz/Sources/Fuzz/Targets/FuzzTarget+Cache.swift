// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
@testable import NetworkingTransport
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

extension FuzzTarget {
    /// The fields that caches go by, in a response, in the 304 after it, and as the request's own; and an entry on disk.
    static let cache = FuzzTarget(
        "cache",
        texts: [
            "Cache-Control: max-age=60, no-cache=\"a, b\", stale-if-error=5\r\nAge: 30\r\nVary: A, b\r\nETag: \"x\"\r\n",
            "Expires: Thu, 18 Aug 2050 02:01:18 GMT\r\nDate: Sunday, 06-Nov-94 08:49:37 GMT\r\nPragma: no-cache\r\n",
            "Last-Modified: Sun Nov  6 08:49:37 1994\r\nCache-Control: public, must-understand, no-store\r\n",
        ]
    ) { input in
        let head = ResponseHead(statusCode: 200, httpVersion: "1.1", rawFields: [UInt8](input))
        var stored = StoredResponse(head: head, content: Data(), requestTime: 1e9, responseTime: 1e9)
        let control = CacheControl(head)
        let freshness = Freshness(stored, control, at: 1e9 + 5)
        guard freshness.age >= 0, freshness.lifetime >= 0, freshness.lifetime.isFinite else {
            broken("ages and lifetimes are in order")
        }
        if StorageRules.allows(head, request: CacheControl()), control.noStore, !control.mustUnderstand {
            broken("no-store is not stored")
        }
        stored = StorageRules.updated(stored, by: head, requestTime: 1e9, responseTime: 1e9).withAge(at: 1e9 + 5)
        for field in [stored.entityTag, stored.lastModified].compactMap({ $0 })
        where !field.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            broken("what is sent back has no control characters")
        }
        _ = StoredResponse.selectingNames(of: head)
        guard let url = URL(string: "http://example.com/a"), let target = try? RequestTarget(url),
            let key = CacheKey(target, trust: ""),
            let response = ResponseFace(head: head, url: url)
        else { return }
        let entry = CachedURLResponse(
            response: response, data: Data(), userInfo: ["OperationNetworking.StoredResponse": input],
            storagePolicy: .allowed)
        _ = StoredResponse(entry, key: key)
        // What is on the disk, past the digest that keeps it away from here: anybody can write one.
        if let record = StoredResponse(record: [UInt8](input), content: Data()),
            StoredResponse(record: record.record, content: Data())?.record != record.record
        {
            broken("a record that was read is one")
        }
        _ = RecordHeader([UInt8](input.prefix(RecordHeader.length)), limit: input.count)
        _ = StoredResponse(record: stored.record, content: Data())
        _ = StoredResponse(foreign: CachedURLResponse(response: response, data: Data()), url: target.url)
        var request = URLRequest(url: url)
        request.setValue(String(decoding: input.prefix(512), as: UTF8.self), forHTTPHeaderField: "Cache-Control")
        for policy in [URLRequest.CachePolicy.useProtocolCachePolicy, .returnCacheDataElseLoad] {
            _ = CacheDecision(stored, policy: policy, request: CacheControl(request), at: 1e9 + 5)
        }
    }
}
