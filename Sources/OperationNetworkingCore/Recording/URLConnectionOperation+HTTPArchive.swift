// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

extension URLConnectionOperation {
    /// Returns what an archive keeps of the operation, once it has finished.
    ///
    /// - Parameter maximumBodySize: bytes of content, each way.
    func archiveEntry(maximumBodySize limit: Int) -> HTTPArchiveEntry {
        let (request, received) = lock.withLock { (_request, _received.value) }
        let metrics = received.metrics
        let timings = metrics.map(HTTPArchiveEntry.Timings.init) ?? HTTPArchiveEntry.Timings()
        let start = metrics.map { $0.startDate - $0.queueTime } ?? Date()
        var entry = HTTPArchiveEntry(
            startedDateTime: start,
            time: timings.total, request: Self.archived(request, metrics, limit),
            response: Self.archived(received, limit, error), timings: timings)
        if let address = metrics?.remoteAddress, !address.isEmpty { entry.serverIPAddress = address }
        return entry
    }

    private static func archived(
        _ request: URLRequest, _ metrics: TransferMetrics?, _ limit: Int
    ) -> HTTPArchiveEntry.Request {
        let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        let url = request.url?.withoutUserInfo
        let query = url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }?.queryItems ?? []
        var postData: HTTPArchiveEntry.PostData?
        if let body = request.httpBody, limit > 0 {
            let (text, encoding) = HTTPArchiveEntry.text(of: body.prefix(limit))
            postData = HTTPArchiveEntry.PostData(
                mimeType: request.value(forHTTPHeaderField: "Content-Type") ?? "", text: text, encoding: encoding)
        }
        return HTTPArchiveEntry.Request(
            method: request.httpMethod ?? "GET", url: url?.absoluteString ?? "", httpVersion: version(metrics),
            headers: fields.map { HTTPArchiveEntry.masked($0.key, $0.value) },
            queryString: query.map { HTTPArchiveEntry.Pair(name: $0.name, value: $0.value ?? "") }, postData: postData,
            headersSize: metrics?.headerBytesSent ?? -1, bodySize: metrics?.bytesSent ?? 0)
    }

    private static func archived(
        _ received: ReceivedResponse, _ limit: Int, _ error: (any Error)?
    ) -> HTTPArchiveEntry.Response {
        var headers: [HTTPArchiveEntry.Pair] = []
        if let head = received.head { headers = head.archivedFields.map { HTTPArchiveEntry.masked($0.name, $0.value) } }
        func first(_ name: String) -> String { headers.first { $0.name.isFieldName(name) }?.value ?? "" }
        let metrics = received.metrics
        var content = HTTPArchiveEntry.Content(
            size: metrics?.decodedBytesReceived ?? Int64(received.data?.count ?? 0), mimeType: first("Content-Type"))
        if let data = received.data, limit > 0, !data.isEmpty {
            let (text, encoding) = HTTPArchiveEntry.text(of: data.prefix(limit))
            content.text = text
            content.encoding = encoding
        }
        let status = received.head?.statusCode ?? 0
        return HTTPArchiveEntry.Response(
            status: status, statusText: status == 0 ? "" : HTTPURLResponse.localizedString(forStatusCode: status),
            httpVersion: version(metrics), headers: headers, content: content,
            redirectURL: URL(escaping: first("Location"))?.withoutUserInfo.absoluteString ?? "",
            headersSize: metrics?.headerBytesReceived ?? -1, bodySize: metrics?.bytesReceived ?? -1,
            error: error?.localizedDescription)
    }

    private static func version(_ metrics: TransferMetrics?) -> String {
        guard let version = metrics?.httpVersion, !version.isEmpty else { return "" }
        return "HTTP/\(version)"
    }
}

extension HTTPArchiveEntry {
    /// A header field without what is secret.
    static func masked(_ name: String, _ value: String) -> Pair {
        let isSecret = HTTPRequestOperation.secretFields.contains { name.isFieldName($0) }
        if name.isFieldName("Location") || name.isFieldName("Referer") {
            // Byte for byte otherwise: a program that plays it back follows it.
            return Pair(
                name: name, value: URL(escaping: value) == nil ? ArchivedExchange.mask : value.removingUserInfo)
        }
        return Pair(name: name, value: isSecret ? ArchivedExchange.mask : value)
    }

    /// Text as it is, anything else in base 64.
    static func text(of data: Data) -> (String, encoding: String?) {
        if let text = String(validating: data, as: UTF8.self) { return (text, nil) }
        return (data.base64EncodedString(), "base64")
    }
}
