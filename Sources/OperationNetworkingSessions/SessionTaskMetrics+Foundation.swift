// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

extension SessionTaskMetrics {
    /// As Foundation's type; without values where only Foundation can set them: see `FoundationInternals`.
    var urlSessionTaskMetrics: URLSessionTaskMetrics {
        let metrics = URLSessionTaskMetrics()
        guard let fields = FoundationInternals.metrics else { return metrics }
        let interval = DateInterval(start: clock.date, end: max(clock.date, end))
        fields.task.set("taskInterval", of: metrics, to: interval)
        fields.task.set("transactionMetrics", of: metrics, to: exchanges.map { fields.transaction($0, clock) })
        fields.task.set("redirectCount", of: metrics, to: redirectCount)
        return metrics
    }

    /// Redirects that were followed.
    private var redirectCount: Int {
        zip(exchanges, exchanges.dropFirst()).count { earlier, later in
            earlier.statusCode.map { 300..<400 ~= $0 } ?? false && earlier.url != later.url
        }
    }
}

extension TransferExchange {
    fileprivate var statusCode: Int? { head?.statusCode ?? (own?.response as? HTTPURLResponse)?.statusCode }
}

extension FoundationMetrics {
    fileprivate func transaction(
        _ exchange: TransferExchange, _ clock: SessionTaskClock
    ) -> URLSessionTaskTransactionMetrics {
        let metrics = make(exchange.request)
        transaction.fill(metrics, with: exchange, clock)
        return metrics
    }
}

extension StoredFields {
    fileprivate func fill(
        _ metrics: URLSessionTaskTransactionMetrics, with exchange: TransferExchange, _ clock: SessionTaskClock
    ) {
        let end = clock.date(at: exchange.endTime)
        if let own = exchange.own {
            set("response", of: metrics, to: own.response)
            return fill(metrics, from: clock.date(at: own.beginning), to: end, .unknown)
        }
        if let lookup = exchange.lookupTime {
            if let head = exchange.head, let url = exchange.url {
                set("response", of: metrics, to: ResponseFace(head: head, url: url) as URLResponse?)
            }
            return fill(metrics, from: clock.date(at: lookup), to: end, .localCache)
        }
        let timings = exchange.timings
        let start = end - timings.total
        func date(_ seconds: TimeInterval) -> Date? { seconds > 0 ? start + seconds : nil }
        if let head = exchange.head, let url = exchange.url {
            set("response", of: metrics, to: ResponseFace(head: head, url: url) as URLResponse?)
        }
        set("fetchStartDate", of: metrics, to: (start - timings.queued) as Date?)
        if !timings.reusedConnection {
            set("domainLookupStartDate", of: metrics, to: timings.nameLookup > 0 ? start : nil)
            set("domainLookupEndDate", of: metrics, to: date(timings.nameLookup))
            set("connectStartDate", of: metrics, to: timings.connect > 0 ? start + timings.nameLookup : nil)
            set("connectEndDate", of: metrics, to: date(max(timings.connect, timings.secureConnect)))
            if timings.secureConnect > timings.connect {
                set("secureConnectionStartDate", of: metrics, to: date(timings.connect))
                set("secureConnectionEndDate", of: metrics, to: date(timings.secureConnect))
            }
        }
        set("requestStartDate", of: metrics, to: date(timings.preTransfer))
        set("requestEndDate", of: metrics, to: date(timings.requestEnd))
        set("responseStartDate", of: metrics, to: date(timings.firstByte))
        set("responseEndDate", of: metrics, to: exchange.head == nil ? nil : end)
        set("countOfRequestBodyBytesBeforeEncoding", of: metrics, to: max(exchange.uploadLength, 0))
        set("countOfRequestBodyBytesSent", of: metrics, to: timings.bytesSent)
        set("countOfRequestHeaderBytesSent", of: metrics, to: timings.headerBytesSent)
        set("countOfResponseBodyBytesReceived", of: metrics, to: timings.bytesReceived)
        set("countOfResponseBodyBytesAfterDecoding", of: metrics, to: timings.bytesReceived)
        set("countOfResponseHeaderBytesReceived", of: metrics, to: timings.headerBytesReceived)
        set("networkProtocolName", of: metrics, to: Self.protocolName(timings.httpVersion))
        set("remoteAddress", of: metrics, to: timings.remoteAddress.isEmpty ? nil : timings.remoteAddress)
        set("remotePort", of: metrics, to: timings.remotePort == 0 ? nil : String(timings.remotePort))
        set("localAddress", of: metrics, to: timings.localAddress.isEmpty ? nil : timings.localAddress)
        set("localPort", of: metrics, to: timings.localPort == 0 ? nil : String(timings.localPort))
        set("negotiatedTLSCipherSuite", of: metrics, to: tls_ciphersuite_t(rawValue: timings.tlsCipherSuite))
        set("negotiatedTLSProtocolVersion", of: metrics, to: Self.tlsVersions[timings.tlsVersion])
        set("isProxyConnection", of: metrics, to: exchange.usesProxy)
        set("isReusedConnection", of: metrics, to: timings.reusedConnection)
        set("resourceFetchType", of: metrics, to: URLSessionTaskMetrics.ResourceFetchType.networkLoad)
    }

    /// Fills the metrics of an exchange without a connection.
    private func fill(
        _ metrics: URLSessionTaskTransactionMetrics, from beginning: Date, to end: Date,
        _ type: URLSessionTaskMetrics.ResourceFetchType
    ) {
        set("fetchStartDate", of: metrics, to: beginning as Date?)
        set("responseEndDate", of: metrics, to: max(beginning, end) as Date?)
        set("resourceFetchType", of: metrics, to: type)
    }

    /// As ALPN names it (RFC 7301).
    private static func protocolName(_ version: String) -> String? {
        switch version {
        case "": nil
        case "2": "h2"
        case "3": "h3"
        default: "http/" + version
        }
    }

    private static let tlsVersions: [String: tls_protocol_version_t] = [
        "TLSv1": .TLSv10, "TLSv1.1": .TLSv11, "TLSv1.2": .TLSv12, "TLSv1.3": .TLSv13,
    ]
}
