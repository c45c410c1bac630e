// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking

extension Faces {
    static let sessionFaces: [(name: String, make: Maker)] =
        [SessionFace.Job.data, .upload, .download].flatMap { job -> [(name: String, make: Maker)] in
            [
                ("session-\(job)-handler", { SessionFace($0, job, .handler, isVariable: false) }),
                ("session-\(job)-delegate", { SessionFace($0, job, .delegate, isVariable: false) }),
                ("session-\(job)-async", { SessionFace($0, job, .async, isVariable: false) }),
                ("urlsession-\(job)-handler", { SessionFace($0, job, .handler, isVariable: true) }),
                ("urlsession-\(job)-delegate", { SessionFace($0, job, .delegate, isVariable: true) }),
                ("urlsession-\(job)-async", { SessionFace($0, job, .async, isVariable: true) }),
            ]
        }
}

/// Tasks of an `OperationURLSession`, or of a variable of type `URLSession` with one.
struct SessionFace: Face {
    enum Job: String, Sendable { case data, upload, download }
    enum Style: Sendable { case handler, delegate, async }
    let job: Job
    let style: Style
    let isVariable: Bool
    let context: CellContext
    let sessions: Replaceable<SessionHolder>

    init(_ context: CellContext, _ job: Job, _ style: Style, isVariable: Bool) {
        self.context = context
        self.job = job
        self.style = style
        self.isVariable = isVariable
        sessions = Replaceable(context) { SessionHolder(context, hasDelegate: style == .delegate) }
    }

    var kind: CellContext.Kind { job == .upload ? .echo : .bytes }
    var isDisturbed: Bool { style != .async && context.cell.weather == .invalidate }

    func reply(to call: Call) async -> Reply {
        // Foundation's own tasks, which it makes for its async methods, may not be made of a session that is invalid.
        let holder = sessions.nextSession(call, mayInvalidate: style != .async, context.cell.weather)
        let file = job == .upload && call.choice % 2 == 0 ? context.file(call) : nil
        defer { if let file { try? FileManager.default.removeItem(at: file) } }
        do {
            if let file { try call.upload.write(to: file) }
        } catch {
            call.answer.give(error)
        }
        switch style {
        case .handler:
            let task =
                isVariable
                ? Self.task(holder.variable, job, call, file)
                : Self.ownTask(holder.session, job, call, file)
            return await call.drive(task, .task)
        case .delegate:
            let session = isVariable ? holder.variable : holder.session
            let task = Self.delegateTask(session, job, call, file)
            holder.delegate?.expect(task, call, mayBeLate: holder.isEnding.withLock { $0 })
            return await call.drive(task, .task)
        case .async:
            let (job, isVariable) = (job, isVariable)
            return await call.run {
                isVariable
                    ? try await Self.answer(holder.variable, job, call, file)
                    : try await Self.ownAnswer(holder.session, job, call, file)
            }
        }
    }

    private static func post(_ call: Call) -> URLRequest {
        var request = call.request
        request.httpMethod = "POST"
        return request
    }

    static func status(_ response: URLResponse?) -> Int? {
        (response as? HTTPURLResponse)?.statusCode
    }

    /// What a completion handler of a data or upload task is.
    private static func handler(_ call: Call) -> @Sendable (Data?, URLResponse?, (any Error)?) -> Void {
        let answer = call.answer
        return { data, response, error in
            answer.give(error.map { .failure($0) } ?? .content(data ?? Data(), status: status(response)))
        }
    }

    private static func fileHandler(_ call: Call)
        -> @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    {
        let answer = call.answer
        return { url, response, error in
            if let error { return answer.give(error) }
            guard let url, let data = try? Content.of(file: url) else {
                return answer.give(Unexpected("no file"))
            }
            answer.give(.content(data, status: status(response)))
        }
    }

    private static func task(_ session: URLSession, _ job: Job, _ call: Call, _ file: URL?)
        -> URLSessionTask
    {
        switch job {
        case .data: session.dataTask(with: call.request, completionHandler: handler(call))
        case .download: session.downloadTask(with: call.request, completionHandler: fileHandler(call))
        case .upload:
            if let file {
                session.uploadTask(with: post(call), fromFile: file, completionHandler: handler(call))
            } else {
                session.uploadTask(with: post(call), from: call.upload, completionHandler: handler(call))
            }
        }
    }

    /// The same words, of the other type.
    private static func ownTask(
        _ session: OperationURLSession, _ job: Job, _ call: Call, _ file: URL?
    ) -> URLSessionTask {
        switch job {
        case .data: session.dataTask(with: call.request, completionHandler: handler(call))
        case .download: session.downloadTask(with: call.request, completionHandler: fileHandler(call))
        case .upload:
            if let file {
                session.uploadTask(with: post(call), fromFile: file, completionHandler: handler(call))
            } else {
                session.uploadTask(with: post(call), from: call.upload, completionHandler: handler(call))
            }
        }
    }

    private static func delegateTask(_ session: URLSession, _ job: Job, _ call: Call, _ file: URL?)
        -> URLSessionTask
    {
        switch job {
        case .data: return session.dataTask(with: call.request)
        case .download: return session.downloadTask(with: call.request)
        case .upload:
            if let file { return session.uploadTask(with: post(call), fromFile: file) }
            if call.choice % 4 == 1 { return session.uploadTask(withStreamedRequest: post(call)) }
            return session.uploadTask(with: post(call), from: call.upload)
        }
    }

    private static func answer(
        _ session: URLSession, _ job: Job, _ call: Call, _ file: URL?
    ) async throws -> Reply {
        switch job {
        case .data:
            let (data, response) = try await session.data(for: call.request)
            return .content(data, status: status(response))
        case .upload:
            let (data, response) =
                if let file {
                    try await session.upload(for: post(call), fromFile: file)
                } else {
                    try await session.upload(for: post(call), from: call.upload)
                }
            return .content(data, status: status(response))
        case .download:
            let (url, response) = try await session.download(for: call.request)
            defer { try? FileManager.default.removeItem(at: url) }
            return .content(try Content.of(file: url), status: status(response))
        }
    }

    private static func ownAnswer(
        _ session: OperationURLSession, _ job: Job, _ call: Call, _ file: URL?
    ) async throws -> Reply {
        switch job {
        case .data:
            let (data, response) = try await session.data(for: call.request)
            return .content(data, status: status(response))
        case .upload:
            let (data, response) =
                if let file {
                    try await session.upload(for: post(call), fromFile: file)
                } else {
                    try await session.upload(for: post(call), from: call.upload)
                }
            return .content(data, status: status(response))
        case .download:
            let (url, response) = try await session.download(for: call.request)
            defer { try? FileManager.default.removeItem(at: url) }
            return .content(try Content.of(file: url), status: status(response))
        }
    }
}

extension Call.Controls where Object: URLSessionTask {
    static var task: Self {
        Self(
            start: { $0.resume() }, cancel: { $0.cancel() }, pause: { $0.suspend() },
            resume: { $0.resume() })
    }
}
