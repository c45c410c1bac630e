// SPDX-License-Identifier: MIT
public import Foundation

/// A format of image files that is decoded.
public enum ImageFileType: String, Sendable, Hashable, CaseIterable {
    /// Portable Network Graphics.
    case png
    /// JPEG, sequential and progressive.
    case jpeg
    /// GIF, and of an animation the first frame.
    case gif
    /// TIFF, and of several pages the first.
    case tiff
    /// Windows bitmap.
    case bmp
    /// Windows icon, of which the largest image is taken.
    case ico
    /// WebP without animation. Needs gdk-pixbuf's loader for it (Debian's package `webp-pixbuf-loader`).
    case webp

    /// Reads the format from the first bytes of a file. `nil` for another format than these.
    public init?(firstBytesOf data: Data) {
        guard let type = data.prefix(16).withUnsafeBytes({ Self.recognize(ImageBytes($0)) }) else { return nil }
        self = type
    }

    /// The registered media type.
    public var mediaType: String {
        self == .ico ? "image/vnd.microsoft.icon" : "image/\(rawValue)"
    }

    /// The name of its loader in gdk-pixbuf.
    var loaderName: String { rawValue }

    var name: String {
        self == .webp ? "WebP" : rawValue.uppercased()  // checked: a word of this file
    }

    static func recognize(_ bytes: ImageBytes) -> ImageFileType? {
        if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) { return .png }
        if bytes.has([0xFF, 0xD8, 0xFF], at: 0) { return .jpeg }
        if bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) { return .gif }
        if bytes.has([0x49, 0x49, 42, 0], at: 0) || bytes.has([0x4D, 0x4D, 0, 42], at: 0) { return .tiff }
        if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) { return .webp }
        if bytes.has([0, 0, 1, 0], at: 0) { return .ico }
        if bytes.has("BM", at: 0) { return .bmp }
        return nil
    }
}
