// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import NetworkingTransport

/// Opens connections to a server until there are no more descriptors, lets them become idle, and sends a request to another
/// server. Exits with 0 when that succeeds.
func runDescriptors(_ first: RequestTarget, _ second: RequestTarget, policy: String) -> Never {
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    let engine = TransportEngine()
    engine.maximumConnectionsPerHost = 100
    let waiters = (0..<80).map { _ in Waiter() }
    for waiter in waiters { engine.start(Transfer(request: request(first, "first"), handler: waiter)) }
    let errors = waiters.map { $0.wait() }
    // Those for which there was no descriptor say so.
    let failures = errors.compactMap { $0 }
    guard !failures.isEmpty, failures.count < 80, failures.allSatisfy({ $0.systemErrno == EMFILE }) else {
        print("\(failures.count) failures: \(failures.first.map(String.init(describing:)) ?? "")")
        exit(1)
    }
    let last = Waiter()
    engine.start(Transfer(request: request(second, policy), handler: last))
    if let error = last.wait() {
        print(error)
        exit(3)
    }
    exit(0)
}

private func request(_ target: RequestTarget, _ policy: String) -> TransferRequest {
    TransferRequest(
        target: target, method: "GET", tls: TLSConfiguration(identity: policy, verify: { _, _ in nil }))
}

/// Waits for a transfer's end.
final class Waiter: TransferHandler {
    private let latch = Latch()
    private let outcome = Locked<TransferOutcome?>(nil)

    func wait() -> TransferError? {
        latch.wait()
        return outcome.withLock { $0?.error }
    }

    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> BodyDelivery { .deliver }
    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> ReceiveResult { .accepted }
    func transfer(_ transfer: Transfer, didSend total: Int64) {}
    func transfer(_ transfer: Transfer, didFinish outcome: TransferOutcome) {
        self.outcome.withLock { $0 = outcome }
        latch.open()
    }
}
