// SPDX-License-Identifier: MIT

// Makes and drops what is backed by OpenSSL and libcurl, over and over, for LeakSanitizer to look at: `Scripts/leaks`.
//
//   LeakFixture FOLDER PORT   FOLDER has root.der, leaf.der, identity.p12 (password "p"); at PORT listens a TLS server
//                             with the leaf that asks for a client certificate
//   LeakFixture --leak        leaks on purpose
import Foundation
import FoundationNetworking
import Glibc
import OperationNetworking

struct Unexpected: Error {
    let what: String
}

func expect(_ condition: Bool, _ what: String) throws {
    guard condition else { throw Unexpected(what: what) }
}

func openFiles() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}

func evaluate(_ root: Data, _ leaf: Data) throws {
    let trust = try ServerTrust(certificates: [leaf])
    let policy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [leaf])
    try expect(!policy.evaluate(trust, forDomain: "localhost"), "an unknown root was trusted")
    policy.anchorCertificates = [root]
    try expect(policy.evaluate(trust, forDomain: "localhost"), "the server was not trusted")
    try expect(!policy.evaluate(trust, forDomain: "other.example"), "another host was trusted")
    var mutated = leaf
    mutated[mutated.count / 2] ^= 0xFF
    _ = (try? ServerTrust(certificates: [mutated])).map { policy.evaluate($0, forDomain: "localhost") }
}

func readIdentity(_ archive: Data) throws -> ClientIdentity {
    try expect((try? ClientIdentity(pkcs12: archive, password: "wrong")) == nil, "a wrong password was taken")
    return try ClientIdentity(pkcs12: archive, password: "p")
}

func request(_ url: URL, _ root: Data, _ identity: ClientIdentity?) async -> (any Error)? {
    let operation = HTTPRequestOperation(request: URLRequest(url: url, timeoutInterval: 20))
    operation.responseSerializer = HTTPResponseSerializer()
    let policy = SecurityPolicy(pinningMode: .none)
    policy.anchorCertificates = [root]
    operation.securityPolicy = policy
    operation.clientIdentity = identity
    do {
        _ = try await operation.value()
        return nil
    } catch {
        return error
    }
}

func run(_ folder: URL, port: String) async throws {
    func file(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }
    let root = try file("root.der")
    let leaf = try file("leaf.der")
    let archive = try file("identity.p12")
    guard let url = URL(string: "https://localhost:\(port)/"), let nobody = URL(string: "https://localhost:1/") else {
        throw Unexpected(what: "not a port: \(port)")
    }
    var openAfterFirst = 0
    for round in 0..<20 {
        try evaluate(root, leaf)
        let identity = try readIdentity(archive)
        if let error = await request(url, root, identity) { throw error }
        try expect(await request(url, leaf, identity) != nil, "an unknown root was trusted")
        try expect(await request(nobody, root, nil) != nil, "there was nobody to answer")
        if round == 0 { openAfterFirst = try openFiles() }
    }
    let open = try openFiles()
    try expect(open <= openAfterFirst, "\(open) files are open; after the first round \(openAfterFirst) were")
}

if CommandLine.arguments.dropFirst().first == "--leak" {
    _ = malloc(1_000)
} else if CommandLine.arguments.count == 3 {
    try await run(URL(fileURLWithPath: CommandLine.arguments[1]), port: CommandLine.arguments[2])
} else {
    throw Unexpected(what: "arguments: FOLDER PORT")
}
