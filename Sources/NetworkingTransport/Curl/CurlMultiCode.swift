// SPDX-License-Identifier: MIT
internal import CCurl

/// The result of a libcurl multi call: `CURLMcode`, with its C spelling kept.
struct CurlMultiCode: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32

    init(rawValue: Int32) { self.rawValue = rawValue }
    init(_ code: CURLMcode) { rawValue = code.rawValue }

    static let CURLM_OK = CurlMultiCode(CCurl.CURLM_OK)
    static let CURLM_INTERNAL_ERROR = CurlMultiCode(CCurl.CURLM_INTERNAL_ERROR)
    static let CURLM_OUT_OF_MEMORY = CurlMultiCode(CCurl.CURLM_OUT_OF_MEMORY)

    /// libcurl's text for the code.
    var text: String { String(cString: curl_multi_strerror(CURLMcode(rawValue))) }

    /// The error of a transfer that this code ended.
    func transferError(systemErrno: Int32 = 0) -> TransferError {
        var error = TransferError(
            self == .CURLM_OUT_OF_MEMORY ? .outOfMemory : .other, message: text, curlCode: Int(rawValue))
        error.isMultiCode = true
        error.systemErrno = systemErrno
        return error
    }
}
