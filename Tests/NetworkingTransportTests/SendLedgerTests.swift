// SPDX-License-Identifier: MIT
import Testing

@testable import NetworkingTransport

@Suite("Send ledger")
struct SendLedgerTests {
    private let reused = SendLedger.Connection(isNew: false, isHTTP2: false)
    private let new = SendLedger.Connection(isNew: true, isHTTP2: false)
    private let shared = SendLedger.Connection(isNew: false, isHTTP2: true)

    @Test("A request is sent once, and again after an answer as often as needed")
    func answers() {
        var ledger = SendLedger()
        #expect(!ledger.hasSent && !ledger.wouldRepeat)
        for _ in 0..<5 {
            #expect(ledger.send(isIdempotent: false, on: reused) == .send)
            #expect(ledger.hasSent && ledger.wouldRepeat)
            ledger.noteAnswer()
            #expect(ledger.hasSent && !ledger.wouldRepeat)
        }
    }

    @Test("Without an answer, one that may not be repeated is not")
    func notIdempotent() {
        for connection in [reused, new, shared] {
            var ledger = SendLedger()
            #expect(ledger.send(isIdempotent: false, on: connection) == .send)
            #expect(ledger.send(isIdempotent: false, on: reused) == .giveUp)
        }
    }

    @Test("Without an answer, one that may be repeated is sent once more, on a new or a shared connection")
    func idempotent() {
        var ledger = SendLedger()
        #expect(ledger.send(isIdempotent: true, on: reused) == .send)
        #expect(ledger.send(isIdempotent: true, on: new) == .send)
        #expect(ledger.send(isIdempotent: true, on: new) == .giveUp)
        ledger = SendLedger()
        #expect(ledger.send(isIdempotent: true, on: shared) == .send)
        #expect(ledger.send(isIdempotent: true, on: shared) == .send)
        #expect(ledger.send(isIdempotent: true, on: shared) == .giveUp)
        ledger = SendLedger()
        #expect(ledger.send(isIdempotent: true, on: reused) == .send)
        #expect(ledger.send(isIdempotent: true, on: reused) == .sendOnFreshConnection)
        #expect(ledger.send(isIdempotent: true, on: new) == .send)
        #expect(ledger.send(isIdempotent: true, on: new) == .giveUp)
    }

    @Test("A new connection in HTTP/1.1 after one in HTTP/2 is no proof that nothing was looked at")
    func downgrade() {
        var ledger = SendLedger()
        #expect(ledger.send(isIdempotent: false, on: shared) == .send)
        #expect(ledger.send(isIdempotent: false, on: new) == .giveUp)
        ledger = SendLedger()
        #expect(ledger.send(isIdempotent: false, on: shared) == .send)
        ledger.noteRefusal()
        #expect(ledger.send(isIdempotent: false, on: new) == .send)
        #expect(ledger.send(isIdempotent: false, on: new) == .giveUp)
    }

    @Test("A repetition counts when it begins, also one that never goes out")
    func begunRepetition() {
        var ledger = SendLedger()
        #expect(ledger.beginRepetition(isIdempotent: true) == false)
        #expect(ledger.send(isIdempotent: true, on: shared) == .send)
        #expect(ledger.beginRepetition(isIdempotent: true) == true)
        #expect(ledger.beginRepetition(isIdempotent: true) == false)
        #expect(ledger.send(isIdempotent: true, on: new) == .send)
        #expect(ledger.beginRepetition(isIdempotent: true) == false)
        ledger = SendLedger()
        #expect(ledger.send(isIdempotent: false, on: shared) == .send)
        #expect(ledger.beginRepetition(isIdempotent: false) == false)
        ledger.noteRefusal()
        #expect(ledger.beginRepetition(isIdempotent: false) == true)
        #expect(ledger.isRefused)
        #expect(ledger.send(isIdempotent: false, on: new) == .send)
        #expect(!ledger.isRefused)
    }

    @Test("What the server has not looked at is sent once more, whatever it is")
    func refusal() {
        for connection in [new, shared] {
            var ledger = SendLedger()
            #expect(ledger.send(isIdempotent: false, on: shared) == .send)
            #expect(!ledger.mayRepeat(isIdempotent: false))
            ledger.noteRefusal()
            #expect(ledger.isRefused && ledger.mayRepeat(isIdempotent: false))
            #expect(ledger.send(isIdempotent: false, on: connection) == .send)
            #expect(!ledger.isRefused)
            #expect(ledger.send(isIdempotent: false, on: shared) == .giveUp)
        }
    }

    @Test("A refusal counts for what is unanswered only, and not beside a loss; a server that refuses all is given up")
    func refusalThatDoesNotCount() {
        var ledger = SendLedger()
        ledger.noteRefusal()
        #expect(!ledger.isRefused)
        #expect(ledger.send(isIdempotent: false, on: shared) == .send)
        ledger.noteAnswer()
        ledger.noteRefusal()
        #expect(!ledger.isRefused)
        #expect(ledger.send(isIdempotent: false, on: shared) == .send)
        ledger.noteRefusal()
        ledger.noteAnswer()
        #expect(!ledger.isRefused)
        #expect(ledger.send(isIdempotent: false, on: shared) == .send)
        for _ in 0..<16 {
            ledger.noteRefusal()
            #expect(ledger.send(isIdempotent: false, on: shared) == .send)
        }
        #expect(!ledger.mayRepeat(isIdempotent: false) && ledger.mayRepeat(isIdempotent: true))
        ledger.noteRefusal()
        #expect(ledger.isRefused && !ledger.mayRepeat(isIdempotent: true))
        #expect(ledger.send(isIdempotent: false, on: shared) == .giveUp)
    }
}
