// SPDX-License-Identifier: MIT
internal import CNghttp2

/// nghttp2's functions.
enum NGHTTP2 {
    /// Looked up once; nil: the library cannot be loaded.
    static let library: on_h2? = {
        var library = on_h2()
        return on_h2_load(&library) != 0 ? library : nil
    }()
}
