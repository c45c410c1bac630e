// SPDX-License-Identifier: MIT

// A library that takes a URLSession, given one of this library's: the same code, but with a private certificate authority
// and everything else that operations have. Foundation's session cannot be told to trust it.
//
//   swift run --package-path Examples SessionInLibrary https://127.0.0.1:8443/ ROOT
//
// ROOT is the authority's certificate in DER: openssl x509 -in root.pem -outform DER -out root.cer
internal import OperationNetworking

/// What such a library looks like: it knows Foundation only.
struct FeedLoader {
    let session: URLSession

    func load(_ url: URL) async throws -> (length: Int, status: Int) {
        try await withCheckedThrowingContinuation { continuation in
            let task = session.dataTask(with: url) { data, response, error in
                if let error { return continuation.resume(throwing: error) }
                continuation.resume(returning: (data?.count ?? 0, (response as? HTTPURLResponse)?.statusCode ?? 0))
            }
            task.resume()
        }
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(escaping: arguments[1]) else {
    print("usage: SessionInLibrary URL ROOT")
    exit(64)
}

let policy = SecurityPolicy.default()
policy.anchorCertificates = [try Data(contentsOf: URL(fileURLWithPath: arguments[2]))]
let sessions: [(String, URLSession)] = [
    ("Foundation", URLSession(configuration: .ephemeral)),
    ("OperationNetworking", OperationURLSession(configuration: .ephemeral, securityPolicy: policy)),
]
for (name, session) in sessions {
    do {
        let (length, status) = try await FeedLoader(session: session).load(url)
        print("\(name): status \(status), \(length) bytes")
    } catch {
        print("\(name): refused (\((error as NSError).code))")
    }
    session.finishTasksAndInvalidate()
}
