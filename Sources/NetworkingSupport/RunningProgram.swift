// SPDX-License-Identifier: MIT
internal import CoreFoundation
package import Foundation
internal import Glibc

/// The program that runs, as the system and Foundation know it.
package enum RunningProgram {
    /// `Bundle.main`; nil: Foundation cannot make it, because `/proc` is not mounted, or the program's folder was moved or
    /// removed before the first use. `Bundle.main` stops the process there, and so do the shared storages of cookies
    /// and responses, which look for their files by it.
    package static let bundle: Bundle? = CFBundleGetMainBundle() == nil ? nil : .main

    /// The executable's path, also of one that was replaced or removed while it ran; nil: `/proc` is not mounted.
    package static var path: String? {
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            return nil
        }
        // So the system names one that is not there any more.
        let suffix = " (deleted)"
        return path.hasSuffix(suffix) && access(path, F_OK) != 0 ? String(path.dropLast(suffix.count)) : path
    }

    /// The last part of the path; without a path the name that the process was given.
    package static var name: String {
        path.map { URL(fileURLWithPath: $0).lastPathComponent } ?? ProcessInfo.processInfo.processName
    }
}
