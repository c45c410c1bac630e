// SPDX-License-Identifier: MIT
internal import Glibc

/// The description of an interface in sysfs: the lines of `/sys/class/net/NAME/uevent`.
package struct InterfaceEvent: Equatable, Sendable {
    /// Bytes that are looked at.
    private static let limit = 4096

    package private(set) var deviceType: [UInt8] = []
    package private(set) var index: [UInt8] = []

    package init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = Array(line[line.index(after: equals)...])
            let name = line[..<equals]
            if name.elementsEqual("DEVTYPE".utf8) { deviceType = value }
            if name.elementsEqual("IFINDEX".utf8) { index = value }
        }
    }

    /// Reads the description of an interface; nil: it has none. Blocks for as long as the kernel takes.
    init?(of link: LinkMessage) {
        let name = link.name
        guard !name.isEmpty, !name.contains(UInt8(ascii: "/")), !name.elementsEqual(".".utf8),
            !name.elementsEqual("..".utf8)
        else { return nil }
        let path = Array("/sys/class/net/".utf8) + name + Array("/uevent".utf8) + [0]
        let descriptor = path.withUnsafeBytes { path in
            path.baseAddress.map { open($0.assumingMemoryBound(to: CChar.self), O_RDONLY | O_CLOEXEC) } ?? -1
        }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: Self.limit)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        self.init(Array(buffer.prefix(count)))
    }

    /// True if it describes `link` and `link` belongs to a mobile network. When sysfs is that of another network
    /// namespace, it describes another interface.
    package func isMobile(_ link: LinkMessage) -> Bool {
        index.elementsEqual(String(link.index).utf8) && deviceType.elementsEqual("wwan".utf8)
    }
}
