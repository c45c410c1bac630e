// SPDX-License-Identifier: MIT
public import Foundation

/// Collects the parts of a `multipart/form-data` body (RFC 7578). AF: `AFMultipartFormData`.
///
/// Valid, and to be used, only while the `constructingBodyWith` block runs. In names and file names `"`, carriage
/// return and line feed are written `%22`, `%0D` and `%0A`, as browsers do. A header field that would break the
/// message makes building the request throw `RequestSerializationError.Code.invalidHeaderField`.
///
/// ```swift
/// let operation = try manager.makeOperation(
///     method: "POST", "covers",
///     constructingBodyWith: { form in
///         try form.appendPart(withFileURL: cover, name: "cover")
///         form.appendPart(
///             withForm: Data("front".utf8), name: "side")
///     })
/// manager.enqueue(operation)
/// ```
public protocol MultipartFormData: AnyObject {
    /// Appends a file under its own name, with the media type of its extension.
    ///
    /// - Throws: as `appendPart(withFileURL:name:fileName:mimeType:)`.
    func appendPart(withFileURL fileURL: URL, name: String) throws

    /// Appends a file, which is read while the request is sent. Only its length is looked at now.
    ///
    /// A file that is later shorter, longer or gone fails the request. A FIFO or device has an unknown length and can
    /// be sent only once.
    ///
    /// - Throws: `RequestSerializationError`: `.badURL` when the URL is not a file URL or no readable file,
    ///   `.invalidHeaderField` for a media type with a line break.
    func appendPart(withFileURL fileURL: URL, name: String, fileName: String, mimeType: String) throws

    /// Appends what a stream gives, under a file name.
    ///
    /// - Parameters:
    ///   - inputStream: read while the request is sent, on a thread where it may block; opened when it is not open,
    ///     and closed. It must not be used elsewhere. nil: no bytes. A request with such a part can be sent only once.
    ///   - name: the form field's name.
    ///   - fileName: the file name that the part is announced with.
    ///   - length: bytes in all; a stream that gives fewer or more fails the request. Negative: unknown, and the
    ///     body has no `Content-Length`.
    ///   - mimeType: the part's media type.
    func appendPart(with inputStream: InputStream?, name: String, fileName: String, length: Int64, mimeType: String)

    /// Appends data under a file name.
    func appendPart(withFileData data: Data, name: String, fileName: String, mimeType: String)

    /// Appends the value of a form field, without a `Content-Type`.
    func appendPart(withForm data: Data, name: String)

    /// Appends data with header fields of the caller's own, none at all when nil.
    ///
    /// `Content-Disposition` and `Content-Type` are written first, the others in the order of their names.
    func appendPart(withHeaders headers: [String: String]?, body: Data)

    /// Limits how fast the body is produced.
    ///
    /// - Parameters:
    ///   - numberOfBytes: the most that is sent at a time; zero or less: no limit.
    ///   - delay: seconds between two such packets. No thread of the network waits meanwhile.
    func throttleBandwidth(withPacketSize numberOfBytes: Int, delay: TimeInterval)
}

/// AFNetworking's values for `throttleBandwidth(withPacketSize:delay:)` over slow mobile links.
public enum SuggestedUploadThrottling {
    /// The suggested packet size, 16384 bytes. AF: `kAFUploadStream3GSuggestedPacketSize`.
    public static let packetSize = 16384
    /// The suggested delay, 0.2 seconds. AF: `kAFUploadStream3GSuggestedDelay`.
    public static let delay: TimeInterval = 0.2
}
