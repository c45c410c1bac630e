// SPDX-License-Identifier: MIT
import COpenSSL
import Foundation
import NetworkingTransport

/// Ends the program while TLS transfers are under way, on its main thread or on the network thread. OpenSSL is initialised
/// by somebody else first, who lets it free itself at the end.
func runExit(_ target: RequestTarget, milliseconds: UInt32, onNetworkThread: Bool) -> Never {
    // Runs after OpenSSL's own: what uses OpenSSL then is caught. On whatever thread ends the program.
    atexit { _ = usleep(30_000) }
    precondition(OPENSSL_init_crypto(0, nil) == 1)
    // One whose thread may end the program, and one that goes on.
    let engines = [TransportEngine.shared, TransportEngine()]
    for engine in engines { engine.maximumConnectionsPerHost = 30 }
    for number in 0..<30 {
        let engine = engines[number % 2]
        let tls = TLSConfiguration(identity: "\(number % 3)", verify: { _, _ in nil })
        var request = TransferRequest(target: target, method: "GET", tls: tls)
        // A handshake each.
        request.headers = [HeaderField("Connection", "close")]
        engine.start(Transfer(request: request, handler: Repeater(engine: engine, request: request)))
    }
    usleep(milliseconds * 1000)
    if onNetworkThread {
        engines[0].perform { exit(0) }
        sleep(10)
    }
    exit(0)
}

/// Starts the next transfer when one has ended.
final class Repeater: TransferHandler {
    let engine: TransportEngine
    let request: TransferRequest

    init(engine: TransportEngine, request: TransferRequest) {
        self.engine = engine
        self.request = request
    }

    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> BodyDelivery { .deliver }
    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> ReceiveResult { .accepted }
    func transfer(_ transfer: Transfer, didSend total: Int64) {}
    func transfer(_ transfer: Transfer, didFinish outcome: TransferOutcome) {
        engine.start(Transfer(request: request, handler: self))
    }
}
