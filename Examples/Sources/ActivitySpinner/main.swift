// SPDX-License-Identifier: MIT

// A spinner on a terminal while requests are under way; elsewhere a line when it would appear and vanish. Says first whether
// there is a way to the server.
//
//   swift run --package-path Examples ActivitySpinner http://127.0.0.1:8000    (an httpbin server)
internal import Dispatch
internal import OperationNetworking

/// Turns in place until it is stopped. On the main queue only.
final class Spinner {
    private static let frames = ["|", "/", "-", "\\"]
    private let timer = DispatchSource.makeTimerSource(queue: .main)
    private var frame = 0

    init() {
        timer.schedule(deadline: .now(), repeating: 0.1)
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            frame = (frame + 1) % Self.frames.count
            print("\r\(Self.frames[frame]) loading", terminator: "")
            fflush(nil)
        }
        timer.resume()
    }

    deinit {
        timer.cancel()
        print("\r\u{1B}[K", terminator: "")
    }
}

guard CommandLine.arguments.count == 2, let baseURL = URL(escaping: CommandLine.arguments[1]), let host = baseURL.host
else {
    print("usage: ActivitySpinner BASE-URL")
    exit(64)
}

let manager = HTTPRequestOperationManager(baseURL: baseURL)
manager.reachabilityManager = NetworkReachabilityManager(domain: host)
manager.reachabilityManager.startMonitoring()

let isTerminal = isatty(STDOUT_FILENO) == 1
var spinner: Spinner?
var isShown = false

/// Prints a line, over the spinner if there is one.
func say(_ line: String) { print(isTerminal ? "\r\u{1B}[K\(line)" : line) }

let activity = NetworkActivityManager.shared
// A second is AFNetworking's; this program is over by then.
activity.activationDelay = 0.2
activity.setNetworkingActivityAction { isVisible in
    // This is the main queue.
    MainActor.assumeIsolated {
        isShown = isVisible
        if isTerminal {
            spinner = isVisible ? Spinner() : nil
        } else {
            print(isVisible ? "network: in use" : "network: idle")
        }
    }
}
activity.isEnabled = true

for await status in manager.reachabilityManager.statuses where status != .unknown {
    say("\(host): \(status.localizedString)")
    break
}
let requests = try ["delay/1", "anything/books", "status/404"].map { try manager.makeOperation(method: "GET", $0) }
for request in requests { manager.enqueue(request) }
for request in requests {
    do {
        _ = try await request.value()
        say("\(request.request.url?.path ?? ""): loaded")
    } catch {
        say("\(request.request.url?.path ?? ""): \(error.localizedDescription)")
    }
}
// The end of activity is told a moment later.
while isShown { try await Task.sleep(for: .milliseconds(20)) }
say("done")
