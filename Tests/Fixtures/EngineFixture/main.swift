// SPDX-License-Identifier: MIT
import Foundation
import NetworkingTransport

// A program that tests run, for what concerns a whole process.
//
//   EngineFixture exit <url> <milliseconds> main|network
//   EngineFixture descriptors <url> <url> <policy>
//   EngineFixture fetch <url> log|nolog -
//   EngineFixture digest - - -

let arguments = CommandLine.arguments
guard arguments.count == 5 else { exit(2) }
if arguments[1] == "digest" { runDigest() }
guard let target = try? RequestTarget(arguments[2]) else { exit(2) }
switch arguments[1] {
case "exit":
    runExit(target, milliseconds: UInt32(arguments[3]) ?? 0, onNetworkThread: arguments[4] == "network")
case "descriptors":
    guard let second = try? RequestTarget(arguments[3]) else { exit(2) }
    runDescriptors(target, second, policy: arguments[4])
case "fetch":
    runFetch(target, logsSecrets: arguments[3] == "log")
default:
    exit(2)
}
