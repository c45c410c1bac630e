// SPDX-License-Identifier: MIT
internal import CLinux
internal import Glibc

/// Moves files.
package enum FileMove {
    /// Moves a file to a name that is not taken, in one step.
    ///
    /// - Returns: 0, or the error number: `EEXIST` when the name is taken.
    package static func withoutReplacing(_ path: String, to target: String) -> Int32 {
        if on_rename_without_replacing(path, target) == 0 { return 0 }
        guard errno == EINVAL || errno == ENOSYS else { return errno }
        // A file system that cannot do it in one step. link(2) fails when the name is taken, which rename(2) does not.
        guard link(path, target) == 0 else { return errno }
        unlink(path)
        return 0
    }
}
