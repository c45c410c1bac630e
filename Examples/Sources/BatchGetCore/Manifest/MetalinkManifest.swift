// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationXML
internal import OperationNetworking
internal import OperationNetworkingXML

/// Metalink 4, RFC 5854: files with their names, sizes, digests, and the places they can be had from.
///
/// Nothing outside the document is looked at: one that declares entities is refused, and so is one that is too long or nested
/// too deeply. Places in other schemes than http and https, and torrents, are left out.
enum MetalinkManifest {
    /// Bytes of a document.
    static let maximumSize = 16 << 20
    /// Levels of elements.
    static let maximumDepth = 16
    /// Bytes of an element's text: names, URLs, digests.
    static let maximumTextLength = 16_384

    static func read(_ data: Data) -> Draft {
        guard data.count <= maximumSize else {
            return refusal("has \(data.count) bytes; a Metalink may have \(maximumSize)")
        }
        let reader = MetalinkReader()
        let parser: XMLParser
        do {
            guard let made = try makeParser(for: data) else { return refusal("is not XML") }
            parser = made
        } catch {
            return refusal("is not XML: \(error.localizedDescription)")
        }
        parser.shouldResolveExternalEntities = false
        parser.shouldProcessNamespaces = true
        parser.delegate = reader
        let isXML = parser.parse()
        if let problem = reader.problem { return refusal(problem) }
        guard isXML, parser.parserError == nil else {
            return refusal("is not XML (line \(parser.lineNumber), column \(parser.columnNumber))")
        }
        return Draft(entries: reader.entries)
    }

    /// The library looks a document over before: FoundationXML crashes on some.
    private static func makeParser(for data: Data) throws -> XMLParser? {
        let serializer = XMLParserResponseSerializer()
        serializer.maximumNestingDepth = maximumDepth
        return try serializer.responseObject(for: nil, data: data) as? XMLParser
    }

    private static func refusal(_ message: String) -> Draft {
        Draft(problems: [ManifestProblem(.manifest, message)], isIncomplete: true)
    }
}

/// Collects the files of a Metalink while a parser reads it.
private final class MetalinkReader: NSObject, XMLParserDelegate {
    static let namespace = "urn:ietf:params:xml:ns:metalink"

    private struct Place {
        var url: String
        /// 1 is best; those without come last.
        var priority: Int
    }

    private(set) var problem: String?
    private(set) var entries: [DraftEntry] = []

    private var path: [String] = []
    private var text = ""
    private var attributes: [String: String] = [:]
    private var file: DraftEntry?
    private var places: [Place] = []
    private var checksums: [Checksum.Algorithm: String] = [:]

    private static let filePath = ["metalink", "file"]

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        // Elements of other vocabularies are not ours to read.
        path.append(namespaceURI == Self.namespace ? name : "")
        self.attributes = attributes
        text = ""
        guard path.first == "metalink" else {
            return stop(parser, "is XML, but no Metalink 4: the root has to be <metalink> of \(Self.namespace)")
        }
        guard path == Self.filePath else { return }
        file = DraftEntry(place: .entry(entries.count + 1))
        file?.texts[.out] = attributes["name"] ?? ""
        places = []
        checksums = [:]
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard text.utf8.count + string.utf8.count <= MetalinkManifest.maximumTextLength else {
            return stop(parser, "has an element of more than \(MetalinkManifest.maximumTextLength) bytes of text")
        }
        text += string
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self))
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        defer {
            if !path.isEmpty { path.removeLast() }
            text = ""
            attributes = [:]
        }
        guard file != nil, path.starts(with: Self.filePath) else { return }
        let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch path.dropFirst(Self.filePath.count) {
        case []: end()
        case ["size"]: file?.texts[.size] = value
        case ["hash"]:
            let kind = attributes["type"] ?? ""
            guard kind.utf8.count <= 16, let algorithm = Checksum.Algorithm(rawValue: kind.lowercased()) else { return }
            checksums[algorithm] = value
        case ["url"]:
            let digits = (attributes["priority"] ?? "").utf8[...]
            places.append(Place(url: value, priority: ByteCount.decimal(digits).map { Int(clamping: $0) } ?? .max))
        default: return
        }
    }

    /// The file is complete.
    private func end() {
        guard var entry = file else { return }
        file = nil
        // Of one priority, the first comes first.
        let ordered = places.enumerated().sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }
        entry.url = ordered.first?.element.url
        entry.mirrors = ordered.dropFirst().map(\.element.url)
        // The strongest: the algorithms are listed from there.
        if let algorithm = Checksum.Algorithm.allCases.first(where: { checksums[$0] != nil }) {
            entry.texts[.checksum] = "\(algorithm.rawValue)=\(checksums[algorithm] ?? "")"
        }
        entries.append(entry)
    }

    /// What libxml2 recovers from is no Metalink all the same.
    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        stop(parser, "is not XML (line \(parser.lineNumber), column \(parser.columnNumber))")
    }

    private func stop(_ parser: XMLParser, _ problem: String) {
        if self.problem == nil { self.problem = problem }
        parser.abortParsing()
    }
}
