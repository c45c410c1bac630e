// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport

#if Logging
    internal import Logging
#endif

/// A debug trace of the ten steps of a request's way, for developers who learn or repair the library.
///
/// Off unless the environment variable `OPERATION_NETWORKING_TRACE` is set when the process starts; then each step is a
/// line on standard error. `CONTRIBUTING.md` has the same ten steps with the files of each.
enum Trace {
    /// The ten steps, in the order in which a request takes them.
    enum Step: Int {
        case make = 1
        case enqueue, schedule, begin, send, transfer, receive, parse, finish, deliver

        fileprivate var text: String {
            switch self {
            case .make: "made from method, URL and parameters by the request serializer"
            case .enqueue: "taken in by the queue"
            case .schedule: "given a slot by the queue"
            case .begin: "begun: the machine made an attempt"
            case .send: "handed to the engine"
            case .transfer: "in flight: libcurl has it"
            case .receive: "response head received"
            case .parse: "response handed to the response serializer"
            case .finish: "finished: dependents and the queue go on"
            case .deliver: "completion blocks run"
            }
        }
    }

    static let isOn = getenv("OPERATION_NETWORKING_TRACE") != nil

    /// Notes that a request took a step.
    @inline(__always)
    static func step(_ step: @autoclosure () -> Step, _ operation: @autoclosure () -> URLConnectionOperation) {
        if isOn { write(step(), operation().traceName) }
        #if Logging
            if let logger = NetworkEngine.logger { log(step(), operation(), to: logger) }
        #endif
    }

    #if Logging
        private static func log(_ step: Step, _ operation: @autoclosure () -> URLConnectionOperation, to logger: Logger)
        {
            guard logger.logLevel <= .trace else { return }
            let operation = operation()
            logger.trace(
                "\(step.text)",
                metadata: [
                    "http.request.method": "\(operation.observedFacts.method)",
                    "url.full": "\(operation.observedTarget.url)",
                ])
        }
    #endif

    private static func write(_ step: Step, _ name: String) {
        let line = "OperationNetworking: \(step.rawValue). \(step.text): \(name)\n"
        _ = Data(line.utf8).withUnsafeBytes { BrokenPipes.write($0, to: STDERR_FILENO) }
    }
}

extension URLConnectionOperation {
    /// Method and URL, without secrets: the URL as descriptions and errors show it.
    var traceName: String {
        let request = request
        return "\(request.httpMethod ?? "GET") \(request.url?.masked ?? "no URL")"
    }
}
