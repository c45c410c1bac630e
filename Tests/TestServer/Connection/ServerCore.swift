// SPDX-License-Identifier: MIT
internal import Foundation

/// What a server knows and remembers: shared by its connections, on whatever thread they run.
final class ServerCore: Sendable {
    typealias Handler = @Sendable (RecordedRequest) -> ScriptedResponse

    struct Route {
        var moment: ScriptedResponse.Moment
        var handler: Handler
    }

    struct State {
        var routes: [String: Route] = [:]
        var queue: [ScriptedResponse] = []
        var fallback: Route?
        var requests: [RecordedRequest] = []
        /// How many of `requests` `nextRequest` has handed out.
        var handedOut = 0
        var connections: [RecordedConnection] = []
        /// Ends an open connection, from any thread.
        var closers: [Int: @Sendable () -> Void] = [:]
        var maximumOpen = 0
        var isStopped = false
    }

    let monitor = Monitor(State())
    let limits: TestServer.Limits
    let greeting: [ScriptStep]

    init(limits: TestServer.Limits, greeting: [ScriptStep]) {
        self.limits = limits
        self.greeting = greeting
    }

    // MARK: Connections

    /// Takes note of a new connection; nil if the server has stopped.
    func connectionOpened(closer: @escaping @Sendable () -> Void) -> Int? {
        monitor.withLock { state in
            guard !state.isStopped else { return nil }
            let number = state.connections.count + 1
            state.connections.append(RecordedConnection(number: number))
            state.closers[number] = closer
            state.maximumOpen = max(state.maximumOpen, state.closers.count)
            return number
        }
    }

    func connectionClosed(_ number: Int) {
        monitor.withLock { state in
            state.closers[number] = nil
            state.connections[number - 1].isOpen = false
        }
    }

    func update(connection number: Int, _ change: (inout RecordedConnection) -> Void) {
        monitor.withLock { change(&$0.connections[number - 1]) }
    }

    /// Ends all connections that are open now.
    func closeConnections() {
        let closers = monitor.withLock { Array($0.closers.values) }
        for closer in closers { closer() }
    }

    // MARK: Requests

    /// Takes note of a request whose head has come. The index stands for it from then on.
    func requestBegan(_ request: RecordedRequest) -> Int {
        monitor.withLock { state in
            state.connections[request.connection - 1].requestCount += 1
            state.requests.append(request)
            return state.requests.count - 1
        }
    }

    func update(request index: Int, _ change: (inout RecordedRequest) -> Void) -> RecordedRequest {
        monitor.withLock { state in
            change(&state.requests[index])
            return state.requests[index]
        }
    }

    /// The answer to a request, if this is its moment: a route for its path, else the next one in the queue, else the
    /// fallback, else 404.
    func response(to request: RecordedRequest, at moment: ScriptedResponse.Moment) -> ScriptedResponse? {
        enum Choice {
            case response(ScriptedResponse)
            case handler(Handler)
            case later
        }
        let choice = monitor.withLock { state -> Choice in
            if let route = state.routes[request.path] {
                return route.moment == moment ? .handler(route.handler) : .later
            }
            if let first = state.queue.first {
                guard first.moment == moment else { return .later }
                return .response(state.queue.removeFirst())
            }
            if let route = state.fallback { return route.moment == moment ? .handler(route.handler) : .later }
            return moment == .afterRequest ? .response(.status(404)) : .later
        }
        switch choice {
        case .response(let response): return response
        case .handler(let handler): return handler(request)
        case .later: return nil
        }
    }
}
