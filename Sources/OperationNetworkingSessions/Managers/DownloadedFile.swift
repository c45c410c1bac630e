// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

/// A download's content on its way from a temporary file to where it belongs.
struct DownloadedFile {
    let location: URL

    /// Moves the file, so that the target's name never has a part of it. A name that is taken is an error.
    ///
    /// - Throws: `CocoaError`, with the target's path, and the operating system's error as the underlying one.
    func move(to destination: URL) throws {
        guard destination.isFileURL else {
            throw failure(.fileWriteUnsupportedScheme, destination, "it is not the URL of a file", code: 0)
        }
        var code = FileMove.withoutReplacing(location.path, to: destination.path)
        if code == EXDEV { code = copy(to: destination) }
        guard code == 0 else {
            throw failure(Self.cocoaCode(for: code), destination, String(cString: strerror(code)), code: code)
        }
    }

    /// Gives the file another name in its folder after a failure, so that it is not removed.
    ///
    /// - Returns: the failure, with the name in its user info, unless the file is gone.
    func keeping(_ error: any Error) -> any Error {
        let name = "\(location.lastPathComponent).\(UUID().uuidString)"
        let kept = location.deletingLastPathComponent().appendingPathComponent(name)
        guard error is CocoaError, FileMove.withoutReplacing(location.path, to: kept.path) == 0 else { return error }
        return CocoaError(error, adding: kept, forKey: NetworkingDownloadedFileURLErrorKey)
    }

    /// Copies to another file system: to a file in the target's folder, which is then moved in one step.
    private func copy(to destination: URL) -> Int32 {
        // Not the target's name in it, which may be as long as a name can be.
        let name = ".\(UUID().uuidString).part"
        let path = destination.deletingLastPathComponent().appendingPathComponent(name).path
        var code = Self.copy(location.path, to: path)
        if code == 0 { code = FileMove.withoutReplacing(path, to: destination.path) }
        unlink(code == 0 ? location.path : path)
        return code
    }

    private static func copy(_ path: String, to target: String) -> Int32 {
        let input = open(path, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { return errno }
        defer { close(input) }
        let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard output >= 0 else { return errno }
        defer { close(output) }
        // A move keeps the file's mode.
        var status = stat()
        guard fstat(input, &status) == 0, fchmod(output, status.st_mode & 0o777) == 0 else { return errno }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = buffer.withUnsafeMutableBytes { FileIO.read(input, into: $0) }
            guard count > 0 else { return count == 0 && fsync(output) == 0 ? 0 : errno }
            let isWritten = buffer.withUnsafeBytes { bytes in
                FileIO.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), to: output)
            }
            guard isWritten else { return errno }
        }
    }

    static func cocoaCode(for code: Int32) -> CocoaError.Code {
        switch code {
        case EEXIST: .fileWriteFileExists
        case EACCES, EPERM: .fileWriteNoPermission
        case EROFS: .fileWriteVolumeReadOnly
        case ENOSPC, EDQUOT: .fileWriteOutOfSpace
        case ENOENT, ENOTDIR: .fileNoSuchFile
        case EINVAL, ENAMETOOLONG: .fileWriteInvalidFileName
        default: .fileWriteUnknown
        }
    }

    private func failure(_ code: CocoaError.Code, _ destination: URL, _ reason: String, code number: Int32)
        -> CocoaError
    {
        var userInfo: [String: Any] = [NSURLErrorKey: destination]
        if destination.isFileURL { userInfo[NSFilePathErrorKey] = destination.path }
        if number != 0 { userInfo[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(number)) }
        return CocoaError(
            code, reason: "The download could not be moved to \(destination.path): \(reason).", userInfo: userInfo)
    }
}

/// The decision whether a download is what was asked for.
enum DownloadVerdict {
    /// Content of a response that is refused is for the error when it is no longer than this.
    private static let readableSize = 1 << 20

    /// Returns the reason that a response serializer refuses a download; nil when it does not. It sees the content of
    /// those that it refuses, as error responses are short; the others may be of any size and type.
    static func refusal(
        of response: URLResponse, at location: URL, by serializer: any URLResponseSerialization
    ) -> (any Error)? {
        do {
            if let serializer = serializer as? HTTPResponseSerializer {
                try serializer.validate(response, data: nil)
            } else {
                _ = try serializer.responseObject(for: response, data: Data())
            }
            return nil
        } catch {
            guard let size = try? location.resourceValues(forKeys: [.fileSizeKey]).fileSize, size <= readableSize,
                // Foundation loses a page with each empty file that it reads.
                let data = size == 0 ? Data() : try? Data(contentsOf: location)
            else { return error }
            do {
                _ = try serializer.responseObject(for: response, data: data)
                return error
            } catch let withContent {
                return withContent
            }
        }
    }
}
