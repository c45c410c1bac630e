// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@Suite("Thread slot", .timeLimit(.minutes(1)))
struct ThreadSlotTests {
    @Test("Each thread has an address of its own, whether the system has room for it or not", arguments: [true, false])
    func addresses(asksSystem: Bool) {
        let slot = ThreadSlot(asksSystem: asksSystem)
        let seen = Locked<[Bool]>([])
        let ends = (0..<8).map { number in
            let end = Latch()
            Thread.detachNewThread {
                for round in 1...1000 {
                    let before = slot.address
                    let address = UnsafeMutableRawPointer(bitPattern: number * 100_000 + round)
                    slot.address = address
                    let isRight = before == nil && slot.address == address
                    slot.address = nil
                    if !isRight || slot.address != nil { seen.withLock { $0.append(false) } }
                }
                end.open()
            }
            return end
        }
        for end in ends { end.wait() }
        #expect(seen.withLock { $0.isEmpty } && slot.address == nil)
    }
}
