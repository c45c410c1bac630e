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
        if link(path, target) == 0 {
            unlink(path)
            return 0
        }
        switch errno {
        case EPERM, ENOSYS, EOPNOTSUPP, EMLINK: return reservingName(path, to: target)
        case let code: return code
        }
    }

    /// On file systems without links, as many network drives are: takes the name, and then the place of what took it.
    package static func reservingName(_ path: String, to target: String) -> Int32 {
        let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        guard rename(path, target) == 0 else {
            let code = errno
            unlink(target)
            return code
        }
        return 0
    }
}
