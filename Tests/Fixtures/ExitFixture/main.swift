import COpenSSL
import Foundation
import NetworkingTransport

// A program that ends while TLS transfers are under way.
//
//   ExitFixture <url> <milliseconds> main|network
//
// OpenSSL is initialised by somebody else first, who lets it free itself at the end. Transfers follow one another until
// the time is up; then the program exits, on its main thread or on the network thread.

guard CommandLine.arguments.count == 4, let time = UInt32(CommandLine.arguments[2]) else {
    print("usage: ExitFixture <url> <milliseconds> main|network")
    exit(2)
}
let url = CommandLine.arguments[1]
// Runs after OpenSSL's own: what uses OpenSSL then is caught. On whatever thread ends the program.
atexit { @Sendable in _ = usleep(30_000) }
precondition(OPENSSL_init_crypto(0, nil) == 1)

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

// One whose thread may end the program, and one that goes on.
let engines = [TransportEngine.shared, TransportEngine()]
for engine in engines { engine.maximumConnectionsPerHost = 30 }
for number in 0..<30 {
    let engine = engines[number % 2]
    let tls = TLSConfiguration(identity: "\(number % 3)", verify: { _, _ in nil })
    guard let target = try? RequestTarget(url) else { exit(2) }
    var request = TransferRequest(target: target, method: "GET", tls: tls)
    // A handshake each.
    request.headers = [HeaderField("Connection", "close")]
    engine.start(Transfer(request: request, handler: Repeater(engine: engine, request: request)))
}
usleep(time * 1000)
if CommandLine.arguments[3] == "network" {
    engines[0].perform { @Sendable in exit(0) }
    sleep(10)
}
exit(0)
