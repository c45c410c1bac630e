// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import OperationNetworkingSessions

@Suite struct SessionTaskValueTests {
    private let place = URL(fileURLWithPath: "/tmp/content")

    @Test func theFirstPlaceIsTheOne() {
        var download = SessionDownload(isWanted: true)
        #expect(download.place(or: place) == place)
        #expect(download.place(or: URL(fileURLWithPath: "/tmp/other")) == place)
        #expect(!download.isLocationShared)
    }

    @Test func resumeDataAreUsedOnce() {
        var download = SessionDownload(isWanted: true)
        download.goOn(at: place, from: 7)
        #expect(download.place(or: URL(fileURLWithPath: "/tmp/other")) == place && download.isLocationShared)
        #expect(download.takeOffset() == 7)
        #expect(download.takeOffset() == nil)
        // A pause after it goes on without a word.
        let (first, second) = (download.noteContinuation(), download.noteContinuation())
        #expect(first && !second)
    }

    @Test("Only a cancellation without a handler leaves no partial file", arguments: [false, true], [false, true])
    func partialFile(isCancelled: Bool, hasHandler: Bool) {
        var download = SessionDownload(isWanted: true)
        if hasHandler { download.leavePart { _ in } }
        let (handlers, leavesPart) = download.fail(isCancelled: isCancelled)
        #expect(handlers.count == (hasHandler ? 1 : 0))
        #expect(leavesPart == (hasHandler || !isCancelled))
        // Each hears once.
        #expect(download.takeHandlers().isEmpty)
    }

    @Test func theEndBeginsOnce() {
        var download = SessionDownload(isWanted: true)
        let (first, second) = (download.finish(), download.finish())
        #expect(first && !second)
    }

    @Test func theClientKeepsTheFileAtItsOwnPlace() {
        var download = SessionDownload(isWanted: true)
        download.goOn(at: place, from: 0)
        #expect(download.keptFile == nil)
        download.keep()
        #expect(download.keptFile == place)
        download.move(to: URL(fileURLWithPath: "/tmp/own"))
        #expect(download.keptFile?.path == "/tmp/own")
    }

    // MARK: The hold on the session

    @Test func aTaskThatWasBegunKeepsItsSession() {
        weak var known: OperationURLSession?
        var hold: SessionHold
        do {
            let session = OperationURLSession(configuration: .ephemeral)
            known = session
            hold = SessionHold(session)
            #expect(hold.loosen() === session && hold.isLoose && hold.session === session)
            let (first, second) = (hold.begin(in: session), hold.begin(in: session))
            #expect(first && !second && !hold.isLoose)
        }
        #expect(hold.session != nil && hold.session === known)
        withExtendedLifetime(hold.end()) {}
        #expect(hold.session == nil && !hold.isLoose)
    }

    @Test func aTaskWhoseOperationIsKnownIsNotLoosened() {
        let session = OperationURLSession(configuration: .ephemeral)
        var hold = SessionHold(session)
        let (first, second) = (hold.handOutOperation(), hold.handOutOperation())
        #expect(first && !second)
        #expect(hold.loosen() == nil && hold.session === session)
    }

    @Test("A task that was cancelled before it was begun keeps its session until its end is told")
    func aTaskThatTheSessionHoldsIsNotLoosened() {
        let session = OperationURLSession(configuration: .ephemeral)
        var hold = SessionHold(session)
        let isFirst = hold.begin(in: session)
        let released = hold.loosen()
        #expect(isFirst && released == nil && !hold.isLoose && hold.session === session)
        withExtendedLifetime(hold.end()) {}
    }
}
