// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport
internal import OperationNetworkingCore

/// The data with which this process or a later one can continue a download: its request and its partial file. The note
/// with that file says what it is a part of, and how much is there. The note is verified when it is used.
///
/// As bytes: a mark with the version, the SHA-256 digest of what follows, and that as JSON. The
/// request's header fields are in it, secrets among them.
struct SessionResumeData: Codable, Equatable {
    private(set) var url: String
    private(set) var headers: [String: String]
    private(set) var path: String
    private(set) var validator: String
    private(set) var offset: Int64
    private(set) var totalLength: Int64?
    /// The other settings of the request; nil in data of an earlier version.
    private(set) var handlesCookies: Bool?
    private(set) var cachePolicy: UInt?
    private(set) var timeout: Double?
    private(set) var mainDocument: String?

    private static let mark = Data("OperationNetworking.resume.1\n".utf8)
    private static let digestLength = 64
    /// Bytes; a request whose URL and fields take more cannot be continued.
    private static let maximumLength = 1 << 16

    /// Reads the disk. Nil: there is nothing to continue.
    init?(request: URLRequest, location: URL) {
        guard request.httpMethod ?? "GET" == "GET", let url = request.url,
            let known = PartialFile(DownloadDestination(fileURL: location), of: url).representation
        else { return nil }
        self.url = url.absoluteString
        headers = request.allHTTPHeaderFields ?? [:]
        path = location.path
        validator = known.validator
        offset = known.offset
        totalLength = known.totalLength
        handlesCookies = request.httpShouldHandleCookies
        cachePolicy = request.cachePolicy.rawValue
        timeout = request.timeoutInterval.isFinite ? request.timeoutInterval : nil
        mainDocument = request.mainDocumentURL?.absoluteString
    }

    /// Nil for data that are damaged, of another version, or of another origin.
    init?(_ data: Data) {
        let data = Data(data)
        let start = Self.mark.count + Self.digestLength
        guard data.count > start, data.count <= Self.maximumLength, data.starts(with: Self.mark) else { return nil }
        let content = data.dropFirst(start)
        guard let digest = try? SHA256Hasher.hex(of: content), data[Self.mark.count..<start].elementsEqual(digest.utf8),
            let decoded = try? JSONDecoder().decode(Self.self, from: JSONText.parsable(Data(content))),
            decoded.offset > 0, decoded.totalLength.map({ $0 >= decoded.offset }) ?? true,
            SessionDownloadFile.isLocation(URL(fileURLWithPath: decoded.path)), decoded.request != nil
        else { return nil }
        self = decoded
    }

    /// Nil: it would be too long.
    func encoded() -> Data? {
        guard let content = try? JSONEncoder().encode(self), let digest = try? SHA256Hasher.hex(of: content) else {
            return nil
        }
        let data = Self.mark + Data(digest.utf8) + content
        return data.count <= Self.maximumLength ? data : nil
    }

    var location: URL { URL(fileURLWithPath: path) }

    var request: URLRequest? {
        guard let url = URL(escaping: url), url.scheme != nil else { return nil }
        var request = URLRequest(url: url)
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let handlesCookies { request.httpShouldHandleCookies = handlesCookies }
        if let policy = cachePolicy.flatMap(URLRequest.CachePolicy.init(rawValue:)) { request.cachePolicy = policy }
        if let timeout { request.timeoutInterval = timeout }
        if let mainDocument { request.mainDocumentURL = URL(escaping: mainDocument) }
        return request
    }
}
