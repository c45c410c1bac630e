// SPDX-License-Identifier: MIT
import Foundation

// libFuzzer has the main function. Which target it feeds is in the environment, since its arguments are its own.

/// The target that `FUZZ_TARGET` names.
private let chosen: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        print("FUZZ_TARGET names no target: \(name)")
        exit(2)
    }
    return target
}()

/// Called once, before everything. With `FUZZ_LIST` prints the targets and the lengths of their inputs; with `FUZZ_SEEDS`
/// writes the seeds of the target into that folder.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    let environment = ProcessInfo.processInfo.environment
    if environment["FUZZ_LIST"] != nil {
        for target in FuzzTarget.all { print(target.name, target.maximumLength) }
        exit(0)
    }
    if let folder = environment["FUZZ_SEEDS"] {
        for (index, seed) in chosen.seeds.enumerated() {
            let file = URL(fileURLWithPath: folder).appendingPathComponent("seed-\(index)")
            do { try seed.write(to: file) } catch {
                print("\(file.path): \(error.localizedDescription)")
                exit(2)
            }
        }
    }
    return 0
}

/// Called for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen.run(bytes.map { Data(bytes: $0, count: count) } ?? Data())
    return 0
}
