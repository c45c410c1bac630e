// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingTesting

extension HTTPStubs {
    /// Returns what happens to a request; nil: nothing can be said.
    func script(for request: RecordedRequest) async -> StubScript? {
        do {
            return try StubScript(try await answer(to: request), to: request)
        } catch {
            return Self.script(for: error, request)
        }
    }

    /// Returns the answer where the stubs have none: in plain text, since the client has no other way to know.
    static func script(for error: any Error, _ request: RecordedRequest) -> StubScript? {
        let response: StubResponse =
            switch error {
            case let error as URLError: .failure(error)
            case let error as UnmatchedRequestError: .text(error.description + "\n", status: 501)
            default: .text(error.localizedDescription + "\n", status: 500)
            }
        return try? StubScript(response, to: request)
    }
}
