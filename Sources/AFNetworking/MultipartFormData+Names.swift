// SPDX-License-Identifier: MIT
public import Foundation

extension MultipartFormData {
    /// `appendPart(withFileURL:name:)`, as Swift 2 has it.
    ///
    /// - Throws: as `appendPart(withFileURL:name:)`.
    public func appendPartWithFileURL(_ fileURL: URL, name: String) throws {
        try appendPart(withFileURL: fileURL, name: name)
    }

    /// `appendPart(withFileURL:name:fileName:mimeType:)`, as Swift 2 has it.
    ///
    /// - Throws: as `appendPart(withFileURL:name:fileName:mimeType:)`.
    public func appendPartWithFileURL(_ fileURL: URL, name: String, fileName: String, mimeType: String) throws {
        try appendPart(withFileURL: fileURL, name: name, fileName: fileName, mimeType: mimeType)
    }

    /// `appendPart(withFileURL:name:)`, as Swift 1 has it.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// - Returns: whether the part was appended.
    @discardableResult
    public func appendPartWithFileURL(_ fileURL: URL, name: String, error: NSErrorPointer) -> Bool {
        Forward.result(error) { try appendPart(withFileURL: fileURL, name: name) } != nil
    }

    /// `appendPart(withFileURL:name:fileName:mimeType:)`, as Swift 1 has it.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// - Returns: whether the part was appended.
    @discardableResult
    public func appendPartWithFileURL(
        _ fileURL: URL, name: String, fileName: String, mimeType: String, error: NSErrorPointer
    ) -> Bool {
        Forward.result(error) {
            try appendPart(withFileURL: fileURL, name: name, fileName: fileName, mimeType: mimeType)
        } != nil
    }

    /// `appendPart(with:name:fileName:length:mimeType:)`, as Swift 1 and 2 have it.
    public func appendPartWithInputStream(
        _ inputStream: InputStream?, name: String, fileName: String, length: Int64, mimeType: String
    ) {
        appendPart(with: inputStream, name: name, fileName: fileName, length: length, mimeType: mimeType)
    }

    /// `appendPart(withFileData:name:fileName:mimeType:)`, as Swift 1 and 2 have it.
    public func appendPartWithFileData(_ data: Data, name: String, fileName: String, mimeType: String) {
        appendPart(withFileData: data, name: name, fileName: fileName, mimeType: mimeType)
    }

    /// `appendPart(withForm:name:)`, as Swift 1 and 2 have it.
    public func appendPartWithFormData(_ data: Data, name: String) {
        appendPart(withForm: data, name: name)
    }

    /// `appendPart(withHeaders:body:)`, as Swift 1 and 2 have it.
    public func appendPartWithHeaders(_ headers: [String: String]?, body: Data) {
        appendPart(withHeaders: headers, body: body)
    }

    /// `throttleBandwidth(withPacketSize:delay:)`, as Swift 1 and 2 have it.
    public func throttleBandwidthWithPacketSize(_ numberOfBytes: UInt, delay: TimeInterval) {
        throttleBandwidth(withPacketSize: numberOfBytes, delay: delay)
    }

    /// `throttleBandwidth(withPacketSize:delay:)` for AFNetworking's `NSUInteger`.
    @_disfavoredOverload
    public func throttleBandwidth(withPacketSize numberOfBytes: UInt, delay: TimeInterval) {
        throttleBandwidth(withPacketSize: Int(clamping: numberOfBytes), delay: delay)
    }
}

// For Objective-C's classes of URLs and data, which Swift 1 and 2 have in these places.
extension MultipartFormData {
    /// `appendPart(withFileURL:name:)`.
    ///
    /// - Throws: as `appendPart(withFileURL:name:)`.
    @_disfavoredOverload
    public func appendPartWithFileURL(_ fileURL: NSURL, name: String) throws {
        try appendPart(withFileURL: fileURL as URL, name: name)
    }

    /// `appendPart(withFileURL:name:fileName:mimeType:)`.
    ///
    /// - Throws: as `appendPart(withFileURL:name:fileName:mimeType:)`.
    @_disfavoredOverload
    public func appendPartWithFileURL(_ fileURL: NSURL, name: String, fileName: String, mimeType: String) throws {
        try appendPart(withFileURL: fileURL as URL, name: name, fileName: fileName, mimeType: mimeType)
    }

    /// `appendPart(withFileURL:name:)`, with the error as Swift 1 has it.
    @_disfavoredOverload @discardableResult
    public func appendPartWithFileURL(_ fileURL: NSURL, name: String, error: NSErrorPointer) -> Bool {
        appendPartWithFileURL(fileURL as URL, name: name, error: error)
    }

    /// `appendPart(withFileURL:name:fileName:mimeType:)`, with the error as Swift 1 has it.
    @_disfavoredOverload @discardableResult
    public func appendPartWithFileURL(
        _ fileURL: NSURL, name: String, fileName: String, mimeType: String, error: NSErrorPointer
    ) -> Bool {
        appendPartWithFileURL(fileURL as URL, name: name, fileName: fileName, mimeType: mimeType, error: error)
    }

    /// `appendPart(withFileData:name:fileName:mimeType:)`.
    @_disfavoredOverload
    public func appendPartWithFileData(_ data: NSData, name: String, fileName: String, mimeType: String) {
        appendPart(withFileData: data as Data, name: name, fileName: fileName, mimeType: mimeType)
    }

    /// `appendPart(withForm:name:)`.
    @_disfavoredOverload
    public func appendPartWithFormData(_ data: NSData, name: String) {
        appendPart(withForm: data as Data, name: name)
    }

    /// `appendPart(withHeaders:body:)`.
    @_disfavoredOverload
    public func appendPartWithHeaders(_ headers: [String: String]?, body: NSData) {
        appendPart(withHeaders: headers, body: body as Data)
    }
}
