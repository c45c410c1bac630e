// SPDX-License-Identifier: MIT
internal import Foundation

/// One exchange, in the terms of HAR 1.2. Times are in milliseconds; −1: does not apply, or is not known.
struct HTTPArchiveEntry: Encodable, Sendable {
    struct Pair: Encodable, Sendable {
        var name: String
        var value: String
    }

    struct Content: Encodable, Sendable {
        var size: Int64
        var mimeType: String
        var text: String?
        var encoding: String?
    }

    struct PostData: Encodable, Sendable {
        var mimeType: String
        var params: [Pair] = []
        var text: String
        var encoding: String?

        enum CodingKeys: String, CodingKey {
            case mimeType, params, text
            // HAR has no such field for requests; those with an underscore are free.
            case encoding = "_encoding"
        }
    }

    struct Request: Encodable, Sendable {
        var method: String
        var url: String
        var httpVersion: String
        var cookies: [Pair] = []
        var headers: [Pair]
        var queryString: [Pair]
        var postData: PostData?
        var headersSize: Int64
        var bodySize: Int64
    }

    struct Response: Encodable, Sendable {
        /// 0: there was none.
        var status: Int
        var statusText: String
        var httpVersion: String
        var cookies: [Pair] = []
        var headers: [Pair]
        var content: Content
        var redirectURL: String
        var headersSize: Int64
        var bodySize: Int64
        var error: String?

        enum CodingKeys: String, CodingKey {
            case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
            case error = "_error"
        }
    }

    struct Cache: Encodable, Sendable {}

    struct Timings: Encodable, Sendable {
        var blocked = -1.0
        var dns = -1.0
        var connect = -1.0
        var ssl = -1.0
        var send = 0.0
        var wait = 0.0
        var receive = 0.0

        init() {}

        init(_ metrics: TransferMetrics) {
            let connected = max(metrics.connectTime, metrics.secureConnectTime)
            blocked = metrics.queueTime * 1000
            if !metrics.reusedConnection, connected > 0 {
                dns = metrics.nameLookupTime * 1000
                connect = max(0, connected - metrics.nameLookupTime) * 1000
                let handshake = metrics.secureConnectTime - metrics.connectTime
                if metrics.secureConnectTime > 0 { ssl = max(0, handshake) * 1000 }
            }
            send = max(0, metrics.requestStartTime - connected) * 1000
            guard metrics.firstByteTime > 0 else {
                wait = max(0, metrics.totalTime - max(metrics.requestStartTime, connected)) * 1000
                return
            }
            wait = max(0, metrics.firstByteTime - metrics.requestStartTime) * 1000
            receive = max(0, metrics.totalTime - metrics.firstByteTime) * 1000
        }

        /// `ssl` is a part of `connect`.
        var total: Double { [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + max(0, $1) } }
    }

    var startedDateTime: Date
    var time: Double
    var request: Request
    var response: Response
    var cache = Cache()
    var timings: Timings
    var serverIPAddress: String?
}
