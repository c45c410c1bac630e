// SPDX-License-Identifier: MIT

// An API client in the way of AFNetworking 3 and 4: a subclass of the session manager, shared by the program, with a success
// and a failure block for each request. Its tasks are operations, too: one waits for another.
//
//   swift run --package-path Examples SessionClient HTTPBIN_URL
internal import Dispatch
internal import OperationNetworking

final class APIClient: HTTPSessionManager, @unchecked Sendable {
    static let shared = APIClient(baseURL: URL(escaping: CommandLine.arguments.dropFirst().first ?? ""))

    override init(baseURL: URL?, sessionConfiguration: URLSessionConfiguration? = nil) {
        super.init(baseURL: baseURL, sessionConfiguration: sessionConfiguration)
        requestSerializer = JSONRequestSerializer()
        requestSerializer.setValue("1", forHTTPHeaderField: "X-Client-Version")
        completionQueue = DispatchQueue(label: "APIClient")
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }
}

guard CommandLine.arguments.count == 2 else {
    print("usage: SessionClient HTTPBIN_URL")
    exit(64)
}
let client = APIClient.shared
let group = DispatchGroup()

@Sendable func fail(_ error: any Error) -> Never {
    print("failed: \(error.localizedDescription)")
    exit(1)
}

group.enter()
client.post(
    "post", parameters: ["title": "Lavinia"],
    progress: { progress in
        if progress.isFinished { print("sent \(progress.completedUnitCount) bytes") }
    },
    success: { task, object in
        let answer = object as? [String: Any]
        print("status \((task.response as? HTTPURLResponse)?.statusCode ?? 0), got \(answer?["data"] ?? "nothing")")
        group.leave()
    },
    failure: { _, error in fail(error) })
group.wait()

// A task's operation can wait for another one's.
group.enter()
group.enter()
let first = client.dataTask(
    withHTTPMethod: "GET", URLString: "delay/1", parameters: nil, headers: nil, uploadProgress: nil,
    downloadProgress: nil,
    success: { _, _ in
        print("first")
        group.leave()
    }, failure: { fail($1) })
let second = client.dataTask(
    withHTTPMethod: "GET", URLString: "get", parameters: nil, headers: nil, uploadProgress: nil, downloadProgress: nil,
    success: { _, _ in
        print("second")
        group.leave()
    }, failure: { fail($1) })
if let first, let second, let earlier = client.operation(for: first) {
    client.operation(for: second)?.addDependency(earlier)
    second.resume()
    first.resume()
}
group.wait()

group.enter()
client.get(
    "status/418",
    success: { _, _ in fail(URLError(.unknown)) },
    failure: { _, error in
        print("refused: \(error.localizedDescription)")
        group.leave()
    })
group.wait()
