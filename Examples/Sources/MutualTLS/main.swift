// SPDX-License-Identifier: MIT

// A server that asks for a client certificate: refused without one, answered with one.
//
//   swift run --package-path Examples MutualTLS https://127.0.0.1:8443/ ROOT CHAIN KEY
//
// ROOT is the certificate of the server's authority as a DER file. CHAIN has the client's certificate and what leads to
// its root, KEY its private key, both as PEM. A .p12 file does as well: ClientIdentity(pkcs12: data, password: password).
internal import OperationNetworking

let arguments = CommandLine.arguments
guard arguments.count == 5 else {
    print("usage: MutualTLS URL ROOT CHAIN KEY")
    exit(64)
}

do {
    let files = try arguments[2...].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    let manager = HTTPRequestOperationManager()
    manager.responseSerializer = HTTPResponseSerializer()
    manager.securityPolicy.anchorCertificates = [files[0]]

    let anonymous = try manager.makeOperation(method: "GET", arguments[1])
    manager.enqueue(anonymous)
    do {
        _ = try await anonymous.value()
        print("failed: the server does not ask for a certificate")
        exit(1)
    } catch {
        // By the server's choice: the handshake fails, or the request is answered with an error status.
        print("without a certificate: \(error.localizedDescription)")
    }

    // For every operation made from now on; an operation has one of its own, too.
    manager.clientIdentity = try ClientIdentity(certificateChainPEM: files[1], privateKeyPEM: files[2])
    let identified = try manager.makeOperation(method: "GET", arguments[1])
    manager.enqueue(identified)
    _ = try await identified.value()
    print("with a certificate: status \(identified.response?.statusCode ?? 0)")
    print(identified.responseString ?? "")
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
