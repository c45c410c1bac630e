// SPDX-License-Identifier: MIT

// A GET with parameters, and what to do with the answer and with a failure.
//
//   swift run --package-path Examples Quickstart http://127.0.0.1:8000    (an httpbin server)
internal import OperationNetworking

guard CommandLine.arguments.count == 2, let baseURL = URL(escaping: CommandLine.arguments[1]) else {
    print("usage: Quickstart BASE-URL")
    exit(64)
}

let manager = HTTPRequestOperationManager(baseURL: baseURL)

manager.get(
    "get", parameters: ["q": "operations", "page": 1],
    success: { operation, object in
        let arguments = (object as? [String: Any])?["args"] as? [String: Any] ?? [:]
        print("\(operation.response?.statusCode ?? 0): the server got \(arguments.keys.sorted())")
        getMissingPage()
    },
    failure: { _, error in
        print("failed: \(error.localizedDescription)")
        exit(1)
    })

@Sendable func getMissingPage() {
    manager.get(
        "status/404",
        success: { _, _ in
            print("failed: there should be no such page")
            exit(1)
        },
        failure: { operation, error in
            // The operation is nil when no request could be made; there is no response when no server answered.
            guard let status = operation?.response?.statusCode else {
                print("failed: \(error.localizedDescription)")
                exit(1)
            }
            print("\(status): \(error.localizedDescription)")
            exit(0)
        })
}

// The blocks run on the main queue, which a program without an async main has to run itself.
dispatchMain()
