// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSessions

@Suite("What a session manager's challenge block may return") struct ChallengeVerdictTests {
    /// The verdict in short.
    private func verdict(_ value: Any?) -> String {
        switch ChallengeVerdict(value) {
        case .later: "later"
        case .answer(let disposition, let credential): "\(disposition.rawValue) \(credential?.user ?? "-")"
        case .failure(let error): "\((error as? URLError)?.code.rawValue ?? 0)"
        }
    }

    @Test("Nothing, also in an optional of any depth, is an answer by the completion handler")
    func nothing() {
        let (credential, deep) = (URLCredential?.none, URLCredential??.some(nil))
        for value in [nil, NSNull(), credential as Any, deep as Any, Int?.none as Any] as [Any?] {
            #expect(verdict(value) == "later")
        }
    }

    @Test("Values, also in optionals")
    func values() {
        let credential = URLCredential(user: "user", password: "password", persistence: .none)
        #expect(verdict(credential) == "0 user" && verdict(credential as URLCredential? as Any) == "0 user")
        let disposition = URLSession.AuthChallengeDisposition.rejectProtectionSpace
        #expect(verdict(disposition) == "3 -" && verdict(3) == "3 -" && verdict(NSNumber(value: 3)) == "3 -")
        #expect(verdict(URLError(.timedOut)) == "-1001")
        for value in ["text", 17, String?.some("text") as Any] as [Any] { #expect(verdict(value) == "2 -") }
    }
}
