// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// Resident memory for each request that waits in a suspended queue, by what is kept of it.
enum QueuedMemory {
    private enum Kind: String {
        /// Only the `URLRequest`s, in an array: what any library would need.
        case request
        /// Operations made from requests.
        case operation
        /// What `manager.get` enqueues, with the default header fields and both blocks.
        case managed
    }

    static func run(_ options: Options) throws -> Figures {
        guard let kind = Kind(rawValue: try options.string("kind")) else { throw BenchmarkError("kind= is unknown") }
        let count = try options.count("count")
        let manager = HTTPRequestOperationManager()
        manager.operationQueue.isSuspended = true
        var requests: [URLRequest] = []
        requests.reserveCapacity(count + 1_000)

        func make(_ range: Range<Int>) {
            for index in range {
                let text = "http://127.0.0.1:8080/items/\(index)?page=1"
                switch kind {
                case .managed:
                    manager.get(text, success: { _, _ in }, failure: { _, _ in })
                case .request, .operation:
                    guard let url = URL(string: text) else { continue }
                    let request = URLRequest(url: url)
                    if kind == .request {
                        requests.append(request)
                    } else {
                        manager.operationQueue.addOperation(HTTPRequestOperation(request: request))
                    }
                }
            }
        }

        make(0..<1_000)
        let before = ProcessUsage.residentKiB
        make(1_000..<1_000 + count)
        let after = ProcessUsage.residentKiB
        return withExtendedLifetime((manager, requests)) {
            ["bytesEach": (after - before) * 1_024 / Double(count)]
        }
    }
}
