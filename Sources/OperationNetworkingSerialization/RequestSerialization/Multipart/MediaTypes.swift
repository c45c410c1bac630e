// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// Media types by path extension: the system's table, and one built in for systems without.
enum MediaTypes {
    static let fallbackType = "application/octet-stream"

    /// The type of files with `pathExtension`, in any case; `application/octet-stream` when it is not known.
    static func type(forPathExtension pathExtension: String) -> String {
        let key = pathExtension.lowercased()
        return overrides[key] ?? systemTable[key] ?? builtIn[key] ?? fallbackType
    }

    /// The types that AFNetworking gives where systems differ.
    private static let overrides = ["cer": "application/x-x509-ca-cert"]

    /// `/etc/mime.types`, read once; empty when there is no such file.
    private static let systemTable: [String: String] = {
        guard let file = FileHandle(forReadingAtPath: "/etc/mime.types"),
            let data = try? file.read(upToCount: 1 << 20)
        else { return [:] }
        return parse(String(decoding: data, as: UTF8.self))
    }()

    /// Lines of a type and its extensions; `#` begins a comment, the first mention of an extension counts.
    static func parse(_ text: String) -> [String: String] {
        var table: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
            guard let type = words.first.map(String.init), type.utf8.contains(UInt8(ascii: "/")) else { continue }
            for word in words.dropFirst() {
                let key = word.lowercased()
                if table[key] == nil { table[key] = type }
            }
        }
        return table
    }

    static let builtIn: [String: String] = [
        "7z": "application/x-7z-compressed",
        "aac": "audio/aac",
        "avi": "video/x-msvideo",
        "avif": "image/avif",
        "bin": "application/octet-stream",
        "bmp": "image/bmp",
        "bz2": "application/x-bzip2",
        "cer": "application/x-x509-ca-cert",
        "crt": "application/x-x509-ca-cert",
        "css": "text/css",
        "csv": "text/csv",
        "der": "application/x-x509-ca-cert",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "eml": "message/rfc822",
        "eot": "application/vnd.ms-fontobject",
        "epub": "application/epub+zip",
        "flac": "audio/flac",
        "gif": "image/gif",
        "gz": "application/gzip",
        "heic": "image/heic",
        "heif": "image/heif",
        "htm": "text/html",
        "html": "text/html",
        "ico": "image/vnd.microsoft.icon",
        "ics": "text/calendar",
        "jpe": "image/jpeg",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "js": "text/javascript",
        "json": "application/json",
        "jsonld": "application/ld+json",
        "jxl": "image/jxl",
        "m4a": "audio/mp4",
        "m4v": "video/mp4",
        "md": "text/markdown",
        "mid": "audio/midi",
        "mjs": "text/javascript",
        "mkv": "video/x-matroska",
        "mov": "video/quicktime",
        "mp3": "audio/mpeg",
        "mp4": "video/mp4",
        "mpeg": "video/mpeg",
        "mpg": "video/mpeg",
        "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet",
        "odt": "application/vnd.oasis.opendocument.text",
        "oga": "audio/ogg",
        "ogg": "audio/ogg",
        "ogv": "video/ogg",
        "opus": "audio/ogg",
        "otf": "font/otf",
        "p12": "application/x-pkcs12",
        "pdf": "application/pdf",
        "pem": "application/x-pem-file",
        "png": "image/png",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "ps": "application/postscript",
        "rar": "application/vnd.rar",
        "rtf": "application/rtf",
        "sh": "application/x-sh",
        "sqlite": "application/vnd.sqlite3",
        "svg": "image/svg+xml",
        "tar": "application/x-tar",
        "tif": "image/tiff",
        "tiff": "image/tiff",
        "tsv": "text/tab-separated-values",
        "ttf": "font/ttf",
        "txt": "text/plain",
        "vcf": "text/vcard",
        "wasm": "application/wasm",
        "wav": "audio/x-wav",
        "weba": "audio/webm",
        "webm": "video/webm",
        "webp": "image/webp",
        "woff": "font/woff",
        "woff2": "font/woff2",
        "xhtml": "application/xhtml+xml",
        "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xml": "application/xml",
        "xz": "application/x-xz",
        "yaml": "application/yaml",
        "yml": "application/yaml",
        "zip": "application/zip",
        "zst": "application/zstd",
    ]
}
