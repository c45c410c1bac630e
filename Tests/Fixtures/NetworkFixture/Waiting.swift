// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Glibc
import NetworkingSupport
import OperationNetworking

/// Asks a server of its own on the loopback, waiting for the network: prints 0 for each failure, and 2 at the end.
func runWaiting() -> Never {
    guard let listener = Listener() else { exit(2) }
    listener.answer()
    let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://127.0.0.1:\(listener.port)/"))
    // Only a change of the network can bring an attempt in time.
    manager.retryPolicy = RetryPolicy(maximumAttempts: 1, backoff: .constant(3600), waitsForConnectivity: true)
    manager.interceptors = [FailureReporter()]
    manager.responseSerializer = HTTPResponseSerializer()
    manager.get(
        "", success: { _, _ in report(2) },
        failure: { _, error in
            print(error)
            exit(1)
        })
    RunLoop.main.run()
    exit(1)
}

private func report(_ status: Int) {
    FileHandle.standardOutput.write(Data("\(status) \(MonotonicClock.now)\n".utf8))
}

private struct FailureReporter: RequestInterceptor {
    func retry(_ operation: HTTPRequestOperation, dueTo error: any Error) async -> RetryDecision {
        report(0)
        return .doNotRetry
    }
}

/// A server that says 200 to everything.
private struct Listener {
    private let descriptor: Int32
    let port: UInt16

    init?() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isReady else { return nil }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    func answer() {
        let thread = Thread { [descriptor] in
            while true {
                let connection = accept(descriptor, nil, nil)
                var buffer = [UInt8](repeating: 0, count: 4096)
                _ = read(connection, &buffer, buffer.count)
                let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
                _ = write(connection, response, response.count)
                _ = close(connection)
            }
        }
        thread.start()
    }
}
