// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking

/// Asks a server of its own, which listens on IPv4 only, by a name. Prints 0 before, and 2 for the response.
func runGet(_ host: String) -> Never {
    guard let listener = Listener() else { exit(2) }
    listener.answer()
    let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://\(host):\(listener.port)/"))
    report(0)
    ask(manager)
}

/// Renames the program's folder, as a deployment may while a program runs. Exits with 0 for a response after that, and a
/// manager that has no storages.
func runMoved(_ host: String) -> Never {
    let folder = ownFile().deletingLastPathComponent().path
    guard rename(folder, folder + "-old") == 0, let listener = Listener() else { exit(2) }
    listener.answer()
    let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://\(host):\(listener.port)/"))
    manager.responseSerializer = HTTPResponseSerializer()
    guard manager.urlCache == nil else { exit(2) }
    exit(withResponseTo: "", of: manager)
}

/// Removes the program's file, as one that is replaced is. Exits with 0 for a response after that.
func runRemoved(_ url: String) -> Never {
    guard unlink(ownFile().path) == 0 else { exit(2) }
    let manager = HTTPRequestOperationManager(baseURL: nil)
    manager.responseSerializer = HTTPResponseSerializer()
    exit(withResponseTo: url, of: manager)
}

private func ownFile() -> URL {
    guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { exit(2) }
    return URL(fileURLWithPath: path)
}

private func exit(withResponseTo url: String, of manager: HTTPRequestOperationManager) -> Never {
    manager.get(
        url, success: { _, _ in exit(0) },
        failure: { _, error in
            print(error)
            exit(1)
        })
    RunLoop.main.run()
    exit(1)
}

/// Makes one request, and prints 2 for its response.
func ask(_ manager: HTTPRequestOperationManager) -> Never {
    manager.responseSerializer = HTTPResponseSerializer()
    manager.get(
        "", success: { _, _ in report(2) },
        failure: { _, error in
            print(error)
            exit(1)
        })
    RunLoop.main.run()
    exit(1)
}

/// Tells the test something, with the time in nanoseconds. Unbuffered.
func report(_ status: Int) {
    FileHandle.standardOutput.write(Data("\(status) \(MonotonicClock.now)\n".utf8))
}
