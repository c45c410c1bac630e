// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// A stored response as Foundation's cache takes it: its `userInfo`, which goes to disk with the rest, has what Foundation
/// does not keep. What comes back may have been written by anybody, and is looked at before it is believed.
extension StoredResponse {
    private static let infoKey = "OperationNetworking.StoredResponse"
    private static let longestInfo = 1 << 20

    private struct Info: Codable {
        var version = 1
        var key: String
        var status: Int
        var httpVersion: String
        var fields: Data
        var requestTime: Double
        var responseTime: Double
        var selecting: [SelectingField]
        var generation: String
        var length: Int
    }

    /// - Parameter response: what Foundation shows; made from the head when nil.
    func cached(
        under key: CacheKey, url: URL, like answer: CachedURLResponse? = nil, policy: URLCache.StoragePolicy
    ) -> CachedURLResponse? {
        let info = Info(
            key: key.text, status: head.statusCode, httpVersion: head.httpVersion, fields: Data(head.rawFields),
            requestTime: requestTime, responseTime: responseTime, selecting: selecting, generation: generation,
            length: content.count)
        guard let response = ResponseFace(head: head, url: url), let data = try? JSONEncoder().encode(info) else {
            return nil
        }
        var userInfo = userInfo.values
        userInfo[Self.infoKey] = data
        return CachedURLResponse(response: response, data: content, userInfo: userInfo, storagePolicy: policy)
    }

    /// Nil: it is for another key, or damaged.
    init?(_ cached: CachedURLResponse, key: CacheKey) {
        guard let data = cached.userInfo?[Self.infoKey] as? Data, data.count <= Self.longestInfo,
            let info = try? JSONDecoder().decode(Info.self, from: JSONText.parsable(data)), info.version == 1,
            info.key.utf8.elementsEqual(key.text.utf8), info.length == cached.data.count,
            200..<600 ~= info.status, info.httpVersion.utf8.count <= 8,
            info.generation.isToken || info.generation.isEmpty,
            info.requestTime.isFinite, info.responseTime.isFinite, info.selecting.count <= 64,
            info.selecting.allSatisfy({ $0.name.isToken })
        else { return nil }
        head = ResponseHead(
            statusCode: info.status, httpVersion: info.httpVersion, rawFields: [UInt8](info.fields))
        // Whoever has written it: what must not be stored is not used.
        guard StorageRules.isPermitted(head, request: CacheControl()) else { return nil }
        content = cached.data
        requestTime = info.requestTime
        responseTime = info.responseTime
        selecting = info.selecting
        generation = info.generation
        userInfo.values = cached.userInfo ?? [:]
        userInfo.values[Self.infoKey] = nil
    }

    /// A response that somebody else put into the cache, `URLSession` or the program itself, for the very URL. Nil: it is
    /// none, or was chosen by request fields that are not known.
    init?(foreign cached: CachedURLResponse, url: String) {
        guard cached.userInfo?[Self.infoKey] == nil, let response = cached.response as? HTTPURLResponse,
            let own = response.url.flatMap({ RequestTarget(ifRequestable: $0) }), own.url.utf8.elementsEqual(url.utf8)
        else { return nil }
        let head = Self.head(of: response)
        guard StorageRules.isPermitted(head, request: CacheControl()), !head.contains(.vary) else { return nil }
        self.head = head
        content = cached.data
        // When it came is not known but for what it says; without that it is not fresh.
        responseTime = head.firstBytes(for: .date).flatMap(HTTPDate.seconds) ?? 0
        requestTime = responseTime
    }

    /// The fields of Foundation's response, as far as they are fields.
    static func head(of response: HTTPURLResponse) -> ResponseHead {
        var fields: [UInt8] = []
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String, name.isToken,
                !value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 })
            else { continue }
            // The content is out of its codings, whatever its length was in them.
            if name.isFieldName("Content-Length") { continue }
            fields += Array("\(name): \(value)\r\n".utf8)
        }
        return ResponseHead(statusCode: response.statusCode, httpVersion: "1.1", rawFields: fields)
    }
}
