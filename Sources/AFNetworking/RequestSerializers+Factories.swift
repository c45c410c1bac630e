// SPDX-License-Identifier: MIT
public import Foundation

extension JSONRequestSerializer {
    /// Forwards to `init(writingOptions:)`. AF: `+serializerWithWritingOptions:`.
    public static func serializerWithWritingOptions(
        _ writingOptions: JSONSerialization.WritingOptions
    ) -> JSONRequestSerializer {
        JSONRequestSerializer(writingOptions: writingOptions)
    }
}

extension PropertyListRequestSerializer {
    /// Forwards to `init(format:writeOptions:)`. AF: `+serializerWithFormat:writeOptions:`.
    public static func serializerWithFormat(
        _ format: PropertyListSerialization.PropertyListFormat, writeOptions: PropertyListSerialization.WriteOptions
    ) -> PropertyListRequestSerializer {
        PropertyListRequestSerializer(format: format, writeOptions: writeOptions)
    }
}
