// SPDX-License-Identifier: MIT
package import Foundation

/// httpbin: a server with known behaviour that nobody here wrote.
///
/// It runs from the virtual environment that `Scripts/test` makes in `.build/test-venv`; the environment variable
/// `ON_TEST_VENV` names another one.
package final class HTTPBinServer: Sendable {
    package let port: Int
    private let process: ServerProcess
    private let directory: TemporaryDirectory

    private static let instance = Monitor(HTTPBinServer?.none)

    /// The one that all tests share, started by the first that asks.
    package static func shared() throws -> HTTPBinServer {
        try instance.withLock { instance in
            if let instance { return instance }
            let server = try ServerProcess.retrying(ports: 1) { try HTTPBinServer(port: $0[0]) }
            instance = server
            return server
        }
    }

    private init(port: Int) throws {
        let directory = try TemporaryDirectory()
        let arguments = [
            "--bind", "127.0.0.1:\(port)", "--worker-class", "gthread", "--threads", "32", "--keep-alive", "30",
            "--worker-tmp-dir", directory.path, "httpbin:app",
        ]
        process = try ServerProcess(
            ExternalProgram(path: Self.environmentPath + "/bin/gunicorn"), arguments, directory: directory,
            ports: [port], environment: ["HOME": directory.path])
        self.directory = directory
        self.port = port
    }

    /// The virtual environment.
    static var environmentPath: String {
        if let path = ProcessInfo.processInfo.environment["ON_TEST_VENV"] { return path }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return package.appendingPathComponent(".build/test-venv").path
    }

    package func url(_ path: String = "/") -> URL { loopbackURL("http", port, path) }
}

/// A URL of a server at 127.0.0.1.
func loopbackURL(_ scheme: String, _ port: Int, _ path: String) -> URL {
    guard let url = URL(string: "\(scheme)://127.0.0.1:\(port)\(path)") else {
        preconditionFailure("not a URL path: \(path)")
    }
    return url
}
