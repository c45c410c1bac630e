// SPDX-License-Identifier: MIT
import AllocationCounter
import Foundation
import FoundationNetworking
import OperationNetworking

/// GETs, one for each byte that comes on standard input.
// Sendable because everything mutable is touched on the main queue only.
final class RequestRun: @unchecked Sendable {
    enum Kind: String {
        case manager
        case cached
        case sessionManager = "session-manager"
        case session
    }

    /// Requests before the allocations are counted, so that what is made once is not among them.
    private static let warmUp = 100

    private let url: String
    private let count: Int
    private var get: (RequestRun) -> Void = { _ in }
    private var ended = 0
    private var before: UInt64 = 0

    init(_ kind: Kind, url: String, count: Int) {
        self.url = url
        self.count = count
        let configuration = URLSessionConfiguration.ephemeral
        // A response without directives may be served from there after a while.
        configuration.urlCache = nil
        switch kind {
        case .manager:
            let manager = HTTPRequestOperationManager(baseURL: nil)
            manager.urlCache = nil
            manager.responseSerializer = HTTPResponseSerializer()
            get = { run in
                manager.get(run.url, success: { run.take($1 as? Data) }, failure: { fail("\($1)") })
            }
        case .cached:
            let manager = HTTPRequestOperationManager(baseURL: nil)
            manager.urlCache = URLCache(memoryCapacity: 1 << 24, diskCapacity: 0, diskPath: nil)
            manager.responseSerializer = HTTPResponseSerializer()
            get = { run in
                manager.get(run.url, success: { run.take($1 as? Data) }, failure: { fail("\($1)") })
            }
        case .sessionManager:
            let manager = HTTPSessionManager(baseURL: nil, sessionConfiguration: configuration)
            manager.responseSerializer = HTTPResponseSerializer()
            get = { run in
                manager.get(run.url, success: { run.take($1 as? Data) }, failure: { fail("\($1)") })
            }
        case .session:
            let session = OperationURLSession(configuration: configuration, delegateQueue: .main)
            guard let url = URL(string: url) else { fail("not a URL: \(url)") }
            get = { run in
                session.dataTask(with: url) { data, _, error in
                    if let error { fail("\(error)") }
                    run.take(data)
                }.resume()
            }
        }
    }

    func start() {
        Thread.detachNewThread { [self] in
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) == 1 { DispatchQueue.main.async { self.get(self) } }
            fail("nobody says when to go on")
        }
    }

    private func take(_ content: Data?) {
        guard content?.count == 1_024 else { fail("unexpected content") }
        ended += 1
        if ended == Self.warmUp { before = allocation_count() }
        guard ended == Self.warmUp + count else { return }
        print(Double(allocation_count() - before) / Double(count))
        exit(0)
    }
}
