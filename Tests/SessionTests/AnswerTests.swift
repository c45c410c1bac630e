// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// What a program may do to a session at a bad moment, and what it must not find in its requests.
@Suite("Answers and ends of session tasks", .timeLimit(.minutes(1))) struct AnswerTests {
    @Test("A task is over once, whatever is done to it before and after", arguments: 0..<5)
    func once(_ variant: Int) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .script([.stall]) }
        let session = OperationURLSession(configuration: .ephemeral)
        let outcome = await session.outcome(URLRequest(url: server.url())) { task in
            switch variant {
            case 0:
                task.cancel()
                task.resume()
            case 1:
                task.resume()
                task.cancel()
                task.cancel()
                task.suspend()
                task.resume()
            case 2:
                task.resume()
                task.suspend()
                task.suspend()
                task.cancel()
            case 3:
                task.resume()
                session.invalidateAndCancel()
                session.finishTasksAndInvalidate()
                session.invalidateAndCancel()
            default:
                session.finishTasksAndInvalidate()
                task.resume()
                task.cancel()
            }
            // A task that was cancelled has no other life.
            #expect(task.state == .canceling || task.state == .completed)
        }
        #expect(outcome.code == .cancelled && outcome.data == nil && outcome.response == nil)
    }

    @Test("The first of several answers counts")
    func twice() async throws {
        final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
            let isComplete = Gate()
            let events = Notes<String>()

            func urlSession(
                _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest, completionHandler: @Sendable @escaping (URLRequest?) -> Void
            ) {
                completionHandler(request)
                completionHandler(nil)
            }

            func urlSession(
                _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                completionHandler(.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
                completionHandler(.cancelAuthenticationChallenge, nil)
            }

            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
                completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
            ) {
                events.add("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
                completionHandler(.allow)
                completionHandler(.cancel)
            }

            func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                events.add(String(decoding: data, as: UTF8.self))
            }

            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                events.add(error == nil ? "complete" : "error")
                isComplete.open()
            }
        }
        let server = try TestServer()
        server.respond(to: "/from", .redirect(to: "/to"))
        server.respond(to: "/to") { request in
            request["Authorization"] == "Basic dTpw"
                ? .ok("there")
                : ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
        }
        let delegate = Delegate()
        OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: server.url("/from")).resume()
        await delegate.isComplete.wait()
        #expect(delegate.events.all == ["response 200", "there", "complete"])
    }

    @Test("An answer that never comes does not hold up a cancellation")
    func never() async throws {
        final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
            let isAsked = Gate()
            let isComplete = Gate()

            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
                completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
            ) {
                isAsked.open()
            }

            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                #expect((error as? URLError)?.code == .cancelled)
                isComplete.open()
            }
        }
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(body: .pattern(count: 8 << 20)))
        let delegate = Delegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let task = session.dataTask(with: server.url())
        task.resume()
        await delegate.isAsked.wait()
        task.cancel()
        await delegate.isComplete.wait()
        #expect(task.state == .completed)
    }

    @Test("Credentials stay with their origin, and the content of a 307 goes along", arguments: [307, 308])
    func otherOrigin(_ status: Int) async throws {
        let (server, other) = (try TestServer(), try TestServer())
        server.respond(to: "/from", .redirect(status, to: other.url("/to").absoluteString))
        server.respond(to: "/same", .redirect(status, to: "/to"))
        for each in [server, other] {
            each.respond(to: "/to") {
                .ok("\($0.method) \($0["Authorization"] ?? "-") \($0["Cookie"] ?? "-") \($0.text)")
            }
        }
        let session = OperationURLSession(configuration: .ephemeral)
        for (path, expected) in [("/from", "POST - - body"), ("/same", "POST Bearer t a=b body")] {
            var request = URLRequest(url: server.url(path))
            request.httpMethod = "POST"
            request.httpBody = Data("body".utf8)
            request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
            request.setValue("a=b", forHTTPHeaderField: "Cookie")
            #expect(await session.outcome(request).text == expected)
        }
    }

    @Test("Finishing waits for a task that was made and not resumed; without one the session is invalid at once")
    func finishing() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("late"))
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let task = session.dataTask(with: server.url())
        session.finishTasksAndInvalidate()
        #expect(session.delegate != nil)
        task.resume()
        await delegate.isInvalid.wait()
        #expect(delegate.data == Data("late".utf8) && delegate.events.suffix(2) == ["complete", "invalid"])
        let idle = RecordingDelegate()
        OperationURLSession(configuration: .ephemeral, delegate: idle).finishTasksAndInvalidate()
        await idle.isInvalid.wait()
        #expect(idle.events == ["invalid"])
    }

    @Test("The shared session is ours, and is never invalid")
    func shared() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("hello"))
        #expect(OperationURLSession.shared is OperationURLSession)
        OperationURLSession.shared.invalidateAndCancel()
        OperationURLSession.shared.finishTasksAndInvalidate()
        #expect(await OperationURLSession.shared.outcome(server.url()).text == "hello")
    }

    @Test("The shared session asks the protocol classes that Foundation's shared session asks")
    func sharedClasses() throws {
        func names(_ session: URLSession) throws -> [String] {
            try #require(session.configuration.protocolClasses).map { String(reflecting: $0) }
        }
        let own = try names(OperationURLSession.shared)
        #expect(try Array(own.dropFirst()) == names(URLSession.shared))
        #expect(own.first?.hasPrefix("OperationNetworkingSessions.") == true)
    }

    @Test("Progresses with one parent may end at the same time, and end that")
    func progressOfMany() async throws {
        let url = try #require(URL(string: "data:,content"))
        let session = OperationURLSession(configuration: .ephemeral)
        for _ in 0..<15 {
            let parent = Progress(totalUnitCount: 1000)
            let (count, areComplete) = (Locked(0), Gate())
            let tasks = (0..<1000).map { _ in
                let task = session.dataTask(with: url) { _, _, _ in
                    let isLast = count.withLock { count in
                        count += 1
                        return count == 1000
                    }
                    if isLast { areComplete.open() }
                }
                parent.addChild(task.progress, withPendingUnitCount: 1)
                return task
            }
            for task in tasks { task.resume() }
            await areComplete.wait()
            #expect(parent.isFinished && parent.completedUnitCount == 1000)
        }
    }

    @Test("A task's progress ends whole, with what was sent and received")
    func progress() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(body: .pattern(count: 1 << 20)))
        let session = OperationURLSession(configuration: .ephemeral)
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let box = Notes<Progress>()
        let outcome = await session.upload(request) {
            let task = session.uploadTask(with: request, from: Data(count: 1 << 19), completionHandler: $0)
            box.add(task.progress)
            return task
        }
        let progress = try #require(box.all.first)
        #expect(outcome.data?.count == 1 << 20 && progress.isFinished && progress.fractionCompleted == 1)
        #expect(progress.completedUnitCount == (1 << 20) + (1 << 19))
    }
}
