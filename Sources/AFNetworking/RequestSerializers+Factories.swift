public import Foundation

extension JSONRequestSerializer {
    /// `init(writingOptions:)`: AFNetworking's `+serializerWithWritingOptions:`.
    public static func serializerWithWritingOptions(
        _ writingOptions: JSONSerialization.WritingOptions
    ) -> JSONRequestSerializer {
        JSONRequestSerializer(writingOptions: writingOptions)
    }
}

extension PropertyListRequestSerializer {
    /// `init(format:writeOptions:)`: AFNetworking's `+serializerWithFormat:writeOptions:`.
    public static func serializerWithFormat(
        _ format: PropertyListSerialization.PropertyListFormat, writeOptions: PropertyListSerialization.WriteOptions
    ) -> PropertyListRequestSerializer {
        PropertyListRequestSerializer(format: format, writeOptions: writeOptions)
    }
}
