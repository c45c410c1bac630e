// SPDX-License-Identifier: MIT

// The program at the top of README.md. A test sees to it that they are the same.
//
//   swift run --package-path Examples FirstProgram http://127.0.0.1:8000    (an httpbin server)
import OperationNetworking

struct Answer: Decodable, Sendable {
    let args: [String: String]
}

let server = CommandLine.arguments.dropFirst().first ?? "https://httpbin.org/"
let manager = HTTPRequestOperationManager(baseURL: URL(string: server))

do {
    let get = try manager.makeOperation(method: "GET", "get", parameters: ["author": "Le Guin"])
    let answer = try await get.decoded(Answer.self)
    print("The server got \(answer.args)")
} catch {
    print(error.localizedDescription)
}
