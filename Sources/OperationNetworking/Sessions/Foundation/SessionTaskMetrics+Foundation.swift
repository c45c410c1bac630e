internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

extension SessionTaskMetrics {
    /// As Foundation's type, whose values only Foundation can set: see `StoredFields`.
    var urlSessionTaskMetrics: URLSessionTaskMetrics {
        let metrics = URLSessionTaskMetrics()
        let fields = FoundationMetrics.task
        fields.set("taskInterval", of: metrics, to: DateInterval(start: beginning, end: max(beginning, end)))
        fields.set("redirectCount", of: metrics, to: redirectCount)
        return metrics
    }

    /// Redirects that were followed.
    private var redirectCount: Int {
        zip(exchanges, exchanges.dropFirst()).count { earlier, later in
            earlier.head.map { 300..<400 ~= $0.statusCode } ?? false && earlier.url != later.url
        }
    }
}

/// Fills Foundation's metrics.
enum FoundationMetrics {
    static let task = StoredFields(of: URLSessionTaskMetrics.self)
}
