// SPDX-License-Identifier: MIT

// Every public face of the library under load, in random cells of a matrix, by public API only: see
// Documentation/Architecture/Load.md.
import Foundation

if CommandLine.arguments.dropFirst().first == "--rude" { RudeServer.main() }
guard let options = Options(CommandLine.arguments.dropFirst()) else {
    FileHandle.standardError.write(Data("\(Options.usage)\n".utf8))
    exit(2)
}
if options.lists {
    print("faces: \(Faces.all.map(\.name).joined(separator: " "))")
    print("concurrency: \(Cell.concurrencies.map(String.init).joined(separator: " "))")
    print("caches: \(Cell.Cache.allCases.map(\.rawValue).joined(separator: " "))")
    print("protocols: \(Cell.Version.allCases.map(\.rawValue).joined(separator: " "))")
    print("weathers: \(Weather.allCases.map(\.rawValue).joined(separator: " "))")
    exit(0)
}
do {
    let matrix = try Matrix(options)
    exit(try await matrix.run() ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(2)
}
