// SPDX-License-Identifier: MIT
import Foundation

/// One thing that is given bytes of somebody else's choice.
struct FuzzTarget: Sendable {
    let name: String
    /// Bytes of an input at most.
    let maximumLength: Int
    /// Inputs to begin with: good ones, so that the way to the inner cases is short.
    let seeds: [Data]
    /// Takes an input. Whatever it is, this returns; a broken promise stops the program with `broken`.
    let run: @Sendable (Data) -> Void

    init(_ name: String, maximumLength: Int = 4096, seeds: [Data], run: @escaping @Sendable (Data) -> Void) {
        self.name = name
        self.maximumLength = maximumLength
        self.seeds = seeds
        self.run = run
    }

    init(_ name: String, maximumLength: Int = 4096, texts: [String], run: @escaping @Sendable (Data) -> Void) {
        self.init(name, maximumLength: maximumLength, seeds: texts.map { Data($0.utf8) }, run: run)
    }

    static let all: [FuzzTarget] = [
        .response, .redirect, .cookie, .challenge, .http2, .fields, .coding, .text, .json, .plist, .xml, .archive,
        .cassette, .note, .ranges, .manifest, .metalink, .inputFile, .multipart, .certificate, .netlink, .cache,
        .image, .url,
    ]
}

/// Stops the program: libFuzzer keeps the input.
func broken(_ promise: String) -> Never {
    fatalError("broken promise: \(promise)")
}
