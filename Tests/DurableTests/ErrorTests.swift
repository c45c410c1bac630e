// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import OperationNetworkingDurable

@Suite("Errors of durable requests", .timeLimit(.minutes(1))) struct DurableErrorTests {
    @Test("They print as one line that says where, what, and what to do")
    func lines() {
        let errors: [any Error] = [
            RequestStoreError(
                .damaged, place: "/a\nb", problem: "x\u{1B}[2J", advice: "restore a backup", engineCode: 11),
            DurableRequestError(.secret, "the field Authorization", advice: "name a reference\r\n"),
        ]
        for error in errors {
            let line = "\(error)"
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
            #expect(line.contains("; ") && error.localizedDescription == line)
        }
        #expect("\(errors[0])".contains("/a") && (errors[0] as NSError).code == 5)
    }
}
