// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking

extension Faces {
    static let sessionManagerFaces: [(name: String, make: Maker)] = [
        ("url-session-manager-data", { SessionManagerFace($0, .data) }),
        ("url-session-manager-upload", { SessionManagerFace($0, .upload) }),
        ("url-session-manager-streamed", { SessionManagerFace($0, .streamed) }),
        ("url-session-manager-download", { SessionManagerFace($0, .download) }),
        ("url-session-manager-async-data", { SessionManagerFace($0, .asyncData) }),
        ("url-session-manager-async-download", { SessionManagerFace($0, .asyncDownload) }),
        ("url-session-manager-decoded", { SessionManagerFace($0, .decoded) }),
        ("http-session-manager-get", { SessionManagerFace($0, .get) }),
        ("http-session-manager-post", { SessionManagerFace($0, .post) }),
        ("http-session-manager-multipart", { SessionManagerFace($0, .multipart) }),
    ]
}

/// Tasks of `URLSessionManager` and `HTTPSessionManager`.
struct SessionManagerFace: Face {
    enum Job {
        case data, upload, streamed, download, asyncData, asyncDownload, decoded, get, post, multipart
    }
    let job: Job
    let context: CellContext
    let managers: Replaceable<HTTPSessionManager>

    init(_ context: CellContext, _ job: Job) {
        self.context = context
        self.job = job
        managers = Replaceable(context) {
            let manager = HTTPSessionManager(sessionConfiguration: context.makeConfiguration())
            manager.securityPolicy = context.securityPolicy
            manager.completionQueue = context.completionQueue
            manager.responseSerializer =
                job == .decoded ? JSONResponseSerializer() : HTTPResponseSerializer()
            return manager
        }
    }

    var kind: CellContext.Kind {
        switch job {
        case .data, .download, .asyncData, .asyncDownload, .get: .bytes
        case .upload, .streamed, .post, .multipart: .echo
        case .decoded: .json
        }
    }

    var isDisturbed: Bool { context.cell.weather == .invalidate }

    func expected(_ call: Call) -> Data {
        job == .post ? Data("seed=\(call.seed)&size=\(call.size)".utf8) : call.upload
    }

    func reply(to call: Call) async -> Reply {
        let (manager, old) = managers.next()
        if context.cell.weather == .invalidate, let old {
            old.invalidateSessionCancelingTasks(call.choice % 2 == 0, resetSession: call.choice % 3 == 0)
        }
        let file = context.file(call)
        defer { try? FileManager.default.removeItem(at: file) }
        switch job {
        case .asyncData:
            return await call.run {
                let (data, response) = try await manager.data(for: call.request)
                return .content(data, status: SessionFace.status(response))
            }
        case .asyncDownload:
            return await call.run {
                let (url, response) = try await manager.download(for: call.request, to: file)
                return .content(try Content.of(file: url), status: SessionFace.status(response))
            }
        case .decoded:
            return await call.run {
                let payload = try await manager.decoded(Content.Payload.self, from: call.request)
                guard payload == Content.payload(call.size, call.seed) else {
                    throw Unexpected("another payload")
                }
                return .checked(bytes: payload.text.utf8.count)
            }
        default:
            guard let task = task(manager, call, file) else { return await call.answer.value }
            return await call.drive(task, .task)
        }
    }

    private func task(_ manager: HTTPSessionManager, _ call: Call, _ file: URL) -> URLSessionTask? {
        let answer = call.answer
        let handler: @Sendable (URLResponse, Any?, (any Error)?) -> Void = { response, object, error in
            answer.give(
                error.map { .failure($0) }
                    ?? .content(object as? Data ?? Data(), status: SessionFace.status(response)))
        }
        let success: @Sendable (URLSessionDataTask, Any?) -> Void = { task, object in
            answer.give(.content(object as? Data ?? Data(), status: SessionFace.status(task.response)))
        }
        let failure: @Sendable (URLSessionDataTask?, any Error) -> Void = { answer.give($1) }
        var post = call.request
        post.httpMethod = "POST"
        switch job {
        case .upload:
            guard call.choice % 2 == 0, (try? call.upload.write(to: file)) != nil else {
                return manager.uploadTask(with: post, from: call.upload, completionHandler: handler)
            }
            return manager.uploadTask(with: post, fromFile: file, completionHandler: handler)
        case .streamed:
            post.httpBodyStream = InputStream(data: call.upload)
            return manager.uploadTask(withStreamedRequest: post, completionHandler: handler)
        case .download:
            return manager.downloadTask(with: call.request, destination: { _, _ in file }) {
                response, url, error in
                if let error { return answer.give(error) }
                guard let url, let data = try? Content.of(file: url) else {
                    return answer.give(Unexpected("no file"))
                }
                answer.give(.content(data, status: SessionFace.status(response)))
            }
        case .get:
            return manager.dataTask(
                withHTTPMethod: "GET", URLString: call.url.absoluteString, success: success,
                failure: failure)
        case .post:
            return manager.dataTask(
                withHTTPMethod: "POST", URLString: call.url.absoluteString,
                parameters: ["size": call.size, "seed": call.seed], success: success, failure: failure)
        case .multipart:
            return manager.post(
                call.url.absoluteString, parameters: ["name": "value"],
                constructingBodyWith: {
                    $0.appendPart(
                        withFileData: call.upload, name: "file", fileName: "f",
                        mimeType: "application/octet-stream")
                },
                success: { _, object in
                    let body = object as? Data ?? Data()
                    let isThere = call.upload.isEmpty || body.range(of: call.upload) != nil
                    answer.give(.content(isThere ? call.upload : body, status: 200))
                }, failure: failure)
        default:
            return manager.dataTask(with: call.request, completionHandler: handler)
        }
    }
}
