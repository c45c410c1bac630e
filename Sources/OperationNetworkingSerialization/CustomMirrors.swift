// SPDX-License-Identifier: MIT
internal import Foundation

// A dump shows what a description does: the fields behind it hold header fields, passwords and content.

extension Mirror {
    package init(showingDescriptionOf subject: some NSObject) {
        self.init(subject, children: ["description": subject.description], ancestorRepresentation: .suppressed)
    }
}

extension HTTPRequestSerializer: CustomReflectable {
    /// Shows the description, which has the names of the header fields only.
    public var customMirror: Mirror { Mirror(showingDescriptionOf: self) }
}

extension RequestSerializationError: CustomReflectable {
    /// Shows code and description, and nothing of the request.
    public var customMirror: Mirror { Mirror(self, children: ["code": code, "description": description]) }
}

extension ResponseSerializationError: CustomReflectable {
    /// Shows code and description, and nothing of the response's fields and content.
    public var customMirror: Mirror { Mirror(self, children: ["code": code, "description": description]) }
}
