// SPDX-License-Identifier: MIT
package import Foundation

/// Settings in archives: one blob of JSON, because Foundation on Linux decodes other classes by trapping on bad input.
package enum ArchiveBlob {
    package static func encode(_ settings: some Encodable, with coder: NSCoder, forKey key: String) {
        guard coder.allowsKeyedCoding else { return }
        // The settings are plain values; encoding them cannot fail but for a non-finite number, which is left out.
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let data = try? encoder.encode(settings) else { return }
        coder.encode(data as NSData, forKey: key)
    }

    package static func decode<Settings: Decodable>(_ type: Settings.Type, with coder: NSCoder, forKey key: String)
        -> Settings?
    {
        guard coder.allowsKeyedCoding, coder.containsValue(forKey: key),
            let data = coder.decodeObject(of: NSData.self, forKey: key)
        else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try? decoder.decode(type, from: JSONText.archived(data as Data))
    }
}
