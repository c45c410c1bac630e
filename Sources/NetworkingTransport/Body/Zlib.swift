// SPDX-License-Identifier: MIT
internal import CZlib

enum Zlib {
    /// Its functions, looked up once; nil: it cannot be loaded.
    static let library: on_zlib? = {
        var library = on_zlib()
        return on_zlib_load(&library) != 0 ? library : nil
    }()
}
