// SPDX-License-Identifier: MIT

// A nightly job that goes on where it stopped: a login, a list, a request for each detail, and a report at the end.
// Killed at any moment and started again, it sends nothing twice whose end is recorded; started twice at once, both
// share the work. SIGTERM lets end what runs.
//
//   swift run --package-path Examples NightlyJob http://127.0.0.1:8000 FOLDER    (an httpbin server)
internal import Dispatch
internal import Foundation
internal import OperationNetworking
internal import OperationNetworkingDurable

/// httpbin's answer to a POST of JSON.
struct Echo: Decodable {
    struct Content: Decodable { let items: [Int] }
    let json: Content
}

/// Logs in when a request needs the token, and keeps it in memory only: nothing secret is in the store.
struct Login: DurableSecretProvider {
    func secrets(for reference: String, request: URLRequest) async throws -> DurableSecrets {
        DurableSecrets(fields: ["Authorization": "Bearer open-sesame"])
    }
}

guard CommandLine.arguments.count == 3, let baseURL = URL(escaping: CommandLine.arguments[1]) else {
    print("usage: NightlyJob BASE-URL FOLDER")
    exit(64)
}
let folder = URL(fileURLWithPath: CommandLine.arguments[2], isDirectory: true)
let group = "nightly"

/// A request under a name: adding it once more changes nothing.
func request(_ name: String, _ method: String, _ path: String, json: String? = nil) throws -> DurableRequest {
    var request = URLRequest(url: baseURL.appendingPathComponent(path))
    request.httpMethod = method
    request.httpBody = json.map { Data($0.utf8) }
    if json != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    var durable = DurableRequest(request, id: try .init(name: "\(group) \(name)"))
    durable.group = group
    return durable
}

do {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try SQLiteRequestStore(url: folder.appendingPathComponent("nightly.sqlite"))
    var configuration = DurableRequestQueue.Configuration()
    configuration.secretProvider = Login()
    configuration.maximumRequestsPerHost = 4
    let manager = HTTPRequestOperationManager(baseURL: nil)
    manager.responseSerializer = HTTPResponseSerializer()
    let queue = DurableRequestQueue(store: store, manager: manager, configuration: configuration)

    signal(SIGTERM, SIG_IGN)
    let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    termination.setEventHandler { Task { await queue.drain(timeout: 20) } }
    termination.resume()

    var login = try request("login", "GET", "bearer")
    login.secretReference = "login"
    var list = try request("list", "POST", "post", json: #"{"items": [1, 2, 3]}"#)
    list.dependencies = [.init(login.id)]
    try await queue.add([login, list])
    try await queue.run()

    guard let content = try await queue.content(of: list.id) else {
        for id in [login.id, list.id] {
            if let failure = try await queue.result(of: id)?.failure { print("no list: \(failure)") }
        }
        exit(1)
    }
    // The details depend on what the list says, and the report on all of them, however they end.
    let details = try JSONDecoder().decode(Echo.self, from: content).json.items.map { item in
        var detail = try request("detail \(item)", "GET", "range/\(item)00")
        detail.destination = DownloadDestination(fileURL: folder.appendingPathComponent("detail-\(item)"))
        return detail
    }
    var report = try request("report", "PUT", "put", json: #"{"done": true}"#)
    report.dependencies = details.map { .init($0.id, .inAnyCase) }
    try await queue.add(details + [report])
    try await queue.run()

    let counts = try await queue.counts(inGroup: group)
    print("\(counts[.succeeded]) of \(counts.total) requests succeeded")
    await store.close()
    exit(counts[.succeeded] == counts.total ? 0 : 1)
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
