// SPDX-License-Identifier: MIT
internal import OperationNetworking

/// The client of the server: one manager with the settings that every request shares.
final class APIClient: HTTPRequestOperationManager, @unchecked Sendable {
    override init(baseURL: URL? = nil) {
        super.init(baseURL: baseURL)
        requestSerializer = JSONRequestSerializer()
        requestSerializer.timeoutInterval = 30
        requestSerializer.setValue("application/json", forHTTPHeaderField: "Accept")
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// A GET whose content is data, not JSON; not enqueued.
    func download(_ path: String, to file: URL? = nil) throws -> HTTPRequestOperation {
        let operation = try makeOperation(method: "GET", path, headers: ["Accept": "*/*"])
        operation.responseSerializer = HTTPResponseSerializer()
        operation.downloadDestination = file.map { DownloadDestination(fileURL: $0) }
        return operation
    }
}

/// What `/post`, `/put` and `/anything` answer.
struct Echo: Decodable, Sendable {
    let data: String
    let files: [String: String]
    let form: [String: String]
    let json: Credentials?
}

/// What the demo logs in with, and gets back.
struct Credentials: Codable, Sendable {
    let user: String
    let token: String
}

/// What `/bearer` answers.
struct BearerReply: Decodable, Sendable {
    let authenticated: Bool
    let token: String
}
