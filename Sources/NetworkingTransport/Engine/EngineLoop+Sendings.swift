// SPDX-License-Identifier: MIT

/// Reports content that libcurl was given in advance: libcurl does not report when it sends that, and the server may be
/// silent for long.
extension EngineLoop {
    /// Nanoseconds until the first look whether it was sent, most often after the response has begun, and between later
    /// looks.
    private static let (firstSendingLook, nextSendingLooks): (UInt64, UInt64) = (2_000_000, 50_000_000)

    /// Takes note that a request is about to be sent with such content.
    func noteAwaitedSending(_ driver: TransferDriver) {
        guard !driver.isSendingLookDue else { return }
        driver.isSendingLookDue = true
        awaitedSendings.append(driver)
        nextSendingLook = min(nextSendingLook, now &+ Self.firstSendingLook)
    }

    /// Reports the content that was sent meanwhile.
    func handleAwaitedSendings() {
        let drivers = awaitedSendings
        awaitedSendings = []
        nextSendingLook = .max
        for driver in drivers where driver.isSendingLookDue {
            driver.isSendingLookDue = false
            guard driver.transfer != nil, driver.reportsBodyAtOnce else { continue }
            driver.noteCopiedBodySent()
            guard driver.reportsBodyAtOnce else { continue }
            driver.isSendingLookDue = true
            awaitedSendings.append(driver)
            nextSendingLook = now &+ Self.nextSendingLooks
        }
    }
}
