// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore

@Suite("Notifications on their way to a queue", .timeLimit(.minutes(1))) struct NotificationMailboxTests {
    private let name = Notification.Name("org.operationnetworking.test.mailbox")
    private let queue = DispatchQueue(label: "mailbox")
    private let mailbox = NotificationMailbox()

    private final class Subject: Sendable {}

    /// What `body` does while the queue stands still, and then the names of those who posted, in order.
    private func posters(_ body: (Subject, Locked<String>) -> Void) -> [String] {
        let subject = Subject()
        let poster = Locked("mailbox")
        let posts = Locked<[String]>([])
        let observer = NotificationCenter.default.addObserver(forName: name, object: subject, queue: nil) { _ in
            let now = poster.withLock { $0 }
            posts.withLock { $0.append(now) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        queue.suspend()
        body(subject, poster)
        queue.resume()
        queue.sync {}
        return posts.withLock { $0 }
    }

    private func dispatchCompletion(_ poster: Locked<String>) {
        queue.async { [mailbox, queue] in
            poster.withLock { $0 = "completion" }
            mailbox.deliver(on: queue)
            poster.withLock { $0 = "mailbox" }
        }
    }

    @Test("They go with a completion that was announced")
    func carried() {
        let found = posters { subject, poster in
            mailbox.expectDelivery(on: queue)
            mailbox.post(name, object: subject, on: queue)
            mailbox.post(name, object: subject, on: queue)
            dispatchCompletion(poster)
        }
        #expect(found == ["completion", "completion"])
    }

    @Test("The main queue is one object, so that it has one entry, whichever a program sets")
    func mainQueue() {
        let operation = HTTPRequestOperation.make()
        for _ in 0..<2 {
            operation.completionQueue = .main
            #expect(operation.completionQueue === DispatchQueue.sharedMain)
        }
    }

    @Test("Without one they are dispatched for themselves")
    func alone() {
        let found = posters { subject, poster in
            mailbox.post(name, object: subject, on: queue)
            dispatchCompletion(poster)
        }
        #expect(found == ["mailbox"])
    }

    @Test("From the network thread they wait a moment for a completion, and then go alone")
    func waiting() async {
        let subject = Subject()
        let gate = Gate()
        let observer = NotificationCenter.default.addObserver(forName: name, object: subject, queue: nil) { _ in
            gate.open()
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        Runtime.current.onNetworkThread { [mailbox, name, queue] in mailbox.post(name, object: subject, on: queue) }
        await gate.wait()
    }
}
