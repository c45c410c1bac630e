// SPDX-License-Identifier: MIT
internal import CZlib
package import Foundation

/// Compresses data as the content coding "gzip" (RFC 9110, section 8.4.1.3).
package enum GzipEncoder {
    /// The reason that the data could not be compressed.
    package struct Failure: DescribedFailure {
        package let description: String
    }

    /// The data as a gzip stream.
    ///
    /// - Parameter pieceSize: the largest number of bytes that zlib gets at a time; it counts in 32 bits.
    package static func encode(_ data: Data, pieceSize: Int = 1 << 30) throws(Failure) -> Data {
        guard let library = Zlib.library else {
            throw Failure(description: "zlib (libz.so.1) cannot be loaded; install zlib1g")
        }
        var stream = on_z_stream()
        guard on_gzip_begin(library, &stream) == Int32(ON_Z_OK) else {
            throw Failure(description: "zlib refused to begin")
        }
        defer { on_gzip_end(library, &stream) }
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: min(max(data.count / 2, 512), 64 * 1024))
        var rest = data[...]
        repeat {
            let piece = rest.prefix(pieceSize)
            rest = rest.dropFirst(piece.count)
            let status = piece.withUnsafeBytes { input in
                compress(input, &stream, library, isLast: rest.isEmpty, &buffer, into: &output)
            }
            guard status == Int32(rest.isEmpty ? ON_Z_STREAM_END : ON_Z_OK) else {
                throw Failure(description: "zlib failed with code \(status)")
            }
        } while !rest.isEmpty
        return output
    }

    /// Feeds a piece, and takes everything that comes out. Returns zlib's last answer.
    private static func compress(
        _ input: UnsafeRawBufferPointer, _ stream: inout on_z_stream, _ library: on_zlib, isLast: Bool,
        _ buffer: inout [UInt8], into output: inout Data
    ) -> Int32 {
        stream.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_in = UInt32(input.count)
        var status: Int32
        repeat {
            status = buffer.withUnsafeMutableBufferPointer { space in
                stream.next_out = space.baseAddress
                stream.avail_out = UInt32(space.count)
                return on_gzip_continue(library, &stream, Int32(isLast ? ON_Z_FINISH : ON_Z_NO_FLUSH))
            }
            output.append(contentsOf: buffer[..<(buffer.count - Int(stream.avail_out))])
        } while status == Int32(ON_Z_OK) && (isLast || stream.avail_in > 0)
        return status
    }
}
