// SPDX-License-Identifier: MIT

// A server of a private certificate authority, and its public key pinned: accepted with the right pin, refused with
// another one before a byte of the request is sent.
//
//   swift run --package-path Examples Pinning https://127.0.0.1:8443/ ROOT PINNED OTHER
//
// ROOT is the authority's certificate, PINNED one with the server's key (also an earlier one: the key counts), OTHER any
// other. All are DER files: openssl x509 -in root.pem -outform DER -out root.cer
internal import OperationNetworking

/// A policy that trusts the authority, and only servers with the key of the pinned certificate.
func policy(root: Data, pinned: Data) throws -> SecurityPolicy {
    let policy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [pinned])
    policy.anchorCertificates = [root]
    // Settings that cannot work are told here, not by the first request.
    try policy.validate()
    return policy
}

func status(_ url: String, under policy: SecurityPolicy) async throws -> Int {
    let manager = HTTPRequestOperationManager()
    manager.responseSerializer = HTTPResponseSerializer()
    manager.securityPolicy = policy
    let operation = try manager.makeOperation(method: "GET", url)
    manager.enqueue(operation)
    _ = try await operation.value()
    return operation.response?.statusCode ?? 0
}

let arguments = CommandLine.arguments
guard arguments.count == 5 else {
    print("usage: Pinning URL ROOT PINNED OTHER")
    exit(64)
}

do {
    let url = arguments[1]
    let certificates = try arguments[2...].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    let (root, pinned, other) = (certificates[0], certificates[1], certificates[2])

    print("pinned key: accepted, status \(try await status(url, under: policy(root: root, pinned: pinned)))")
    do {
        _ = try await status(url, under: policy(root: root, pinned: other))
        print("failed: the server was accepted with another key pinned")
        exit(1)
    } catch let error as URLError {
        guard let trustError = error.userInfo[NSUnderlyingErrorKey] as? ServerTrustError else { throw error }
        print("other key: refused (\(error.code.rawValue)), rule \(trustError.rule.rawValue)")
        print("  \(trustError.reason)")
        print("  server \(trustError.host ?? "?"), pins tried \(trustError.pinsTried)")
        exit(trustError.rule == .pinnedPublicKey ? 0 : 1)
    }
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
