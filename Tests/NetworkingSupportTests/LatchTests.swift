// SPDX-License-Identifier: MIT
import Dispatch
import NetworkingSupport
import Testing

@Suite("Latch", .timeLimit(.minutes(1)))
struct LatchTests {
    @Test("An open latch lets everybody through, those who came before and after")
    func opens() async {
        let latch = Latch()
        let passed = Locked(0)
        let group = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: group) {
                latch.wait()
                passed.withLock { $0 += 1 }
            }
        }
        latch.open()
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        #expect(passed.withLock { $0 } == 4)
        latch.open()
    }
}
