// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// Stored responses from and for caches that are not the library's.
extension StoredResponse {
    private static let infoKey = "OperationNetworking.StoredResponse"
    private static let longestInfo = 1 << 20

    /// As an entry for a program's own class of caches, with what Foundation does not keep in its `userInfo`; nil:
    /// there is no digest.
    func cached(under key: CacheKey, url: URL, policy: URLCache.StoragePolicy) -> CachedURLResponse? {
        var info: [UInt8] = []
        guard let response = ResponseFace(head: head, url: url),
            RecordHeader.append(self, key: key.digest, time: 0, to: &info) != nil
        else { return nil }
        var userInfo = userInfo.values
        userInfo[Self.infoKey] = Data(info)
        return CachedURLResponse(response: response, data: content, userInfo: userInfo, storagePolicy: policy)
    }

    /// Nil: it is for another key, or damaged.
    init?(_ cached: CachedURLResponse, key: CacheKey) {
        guard let data = cached.userInfo?[Self.infoKey] as? Data, data.count <= Self.longestInfo else { return nil }
        let info = [UInt8](data)
        let record = Array(info.dropFirst(RecordHeader.length))
        let content = cached.data
        guard let header = RecordHeader(Array(info.prefix(RecordHeader.length)), limit: .max),
            header.key == key.digest, header.confirms(record: record, content: content)
        else { return nil }
        self.init(record: record, content: content)
        isInMemoryOnly = cached.storagePolicy != .allowed
        userInfo.values = cached.userInfo ?? [:]
        userInfo.values[Self.infoKey] = nil
    }

    /// A response that `URLSession` or the program itself put into a cache for exactly this URL. Nil: it is not such a
    /// response, or was chosen by request fields that are not known.
    init?(foreign cached: CachedURLResponse, url: String) {
        guard cached.userInfo?[Self.infoKey] == nil, let response = cached.response as? HTTPURLResponse,
            let own = response.url.flatMap({ RequestTarget(ifRequestable: $0) }), own.url.hasOctets(of: url)
        else { return nil }
        self.init(cached, selecting: { _ in nil })
    }

    /// A response that a program stores for a request. Nil: it must not be stored.
    ///
    /// - Parameter selecting: the request's fields of the names in `Vary`; nil: they are not known.
    init?(_ cached: CachedURLResponse, selecting: ([String]) -> [SelectingField]?) {
        guard let response = cached.response as? HTTPURLResponse else { return nil }
        let head = Self.head(of: response)
        guard StorageRules.isPermitted(head, request: CacheControl()), let names = Self.selectingNames(of: head),
            let fields = names.isEmpty ? [] : selecting(names)
        else { return nil }
        self.head = head
        content = cached.data
        // Only its `Date` field tells when it came; without that it is not fresh.
        responseTime = head.firstBytes(for: .date).flatMap(HTTPDate.seconds) ?? 0
        requestTime = responseTime
        self.selecting = fields
        // What the library shows is in Foundation's memory, wherever it may be kept.
        isInMemoryOnly = (cached as? ShownResponse)?.isInMemoryOnly ?? (cached.storagePolicy != .allowed)
        userInfo.values = cached.userInfo ?? [:]
    }

    /// The head of Foundation's response, with the fields that are valid.
    static func head(of response: HTTPURLResponse) -> ResponseHead {
        var fields: [UInt8] = []
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String, name.isToken,
                !value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 })
            else { continue }
            // The content is decoded: the length of its coded form does not count.
            if name.isFieldName("Content-Length") { continue }
            fields += Array("\(name): \(value)\r\n".utf8)
        }
        return ResponseHead(statusCode: response.statusCode, httpVersion: "1.1", rawFields: fields)
    }
}
