// SPDX-License-Identifier: MIT

// What has no counterpart: nothing to compile.

extension Symbol {
    static var withoutCounterpart: [Symbol] {
        missing(
            "no SystemConfiguration: use managerForDomain: or managerForAddress:",
            "-[AFNetworkReachabilityManager initWithReachability:]")
            + missing(
                "several receipts may stand for one transfer: cancel the receipt with its downloader",
                "AFImageDownloadReceipt.task")
    }
}
