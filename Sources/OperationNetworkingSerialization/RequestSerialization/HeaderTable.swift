// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// Header fields with case-insensitive names, in the order and with the spelling they were given.
struct HeaderTable: Codable, Sendable {
    struct Field: Codable, Sendable {
        var name: String
        var value: String
    }

    private(set) var fields: [Field] = []

    subscript(name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): fields[index] = Field(name: name, value: value)
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append(Field(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// A snapshot, names spelled as they were given last.
    var dictionary: [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }) { _, last in last }
    }

    private func index(of name: String) -> Int? {
        fields.firstIndex { $0.name.isFieldName(name) }
    }
}

/// The rules for text in a message's head.
enum FieldSyntax {
    /// A field value that stays within its line.
    static func isFieldValue(_ text: String) -> Bool {
        !text.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
    }
}
