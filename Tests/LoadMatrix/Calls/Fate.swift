// SPDX-License-Identifier: MIT

/// What happens to a call while it is under way.
enum Fate: Sendable, Equatable {
    case calm
    /// Nobody keeps what was started.
    case dropped
    case cancelledBefore
    /// Cancelled so many microseconds after its start.
    case cancelled(after: Int)
    /// Cancelled when its first content is told, by faces that are told of content.
    case cancelledInside
    /// Paused and resumed after so many microseconds, so many times.
    case paused(after: Int, times: Int)
    /// Paused, and cancelled while it is.
    case cancelledPaused(after: Int)
}

/// What the server does to it.
enum Fault: Sendable, Equatable {
    case none
    /// The connection ends after so many bytes of the content.
    case short(Int)
    case reset(Int)
    /// A reset in place of an answer.
    case early
    case slow
    case chunked
    case moved
}

/// What a cell's calls are exposed to.
enum Weather: String, CaseIterable, Sendable {
    case calm, long, cancel, pause, drop, invalidate, faults, mixed

    func fate(_ dice: inout Dice) -> Fate {
        func delay() -> Int { dice.once(in: 3) ? 0 : dice.below(dice.once(in: 4) ? 20_000 : 1_500) }
        switch self {
        case .calm, .long, .invalidate, .faults: return .calm
        case .drop: return .dropped
        case .cancel:
            switch dice.below(8) {
            case 0: return .cancelledBefore
            case 1: return .cancelledInside
            case 2...4: return .cancelled(after: delay())
            default: return .calm
            }
        case .pause:
            switch dice.below(8) {
            case 0: return .cancelledPaused(after: delay())
            case 1...4: return .paused(after: delay(), times: 1 + dice.below(3))
            default: return .calm
            }
        case .mixed:
            let weather = dice.pick([Weather.calm, .cancel, .pause, .drop])
            return weather.fate(&dice)
        }
    }

    func fault(_ dice: inout Dice, size: Int) -> Fault {
        switch self {
        case .faults, .mixed:
            guard dice.once(in: self == .faults ? 2 : 4) else { return .none }
            switch dice.below(7) {
            case 0, 1: return size == 0 ? .early : .short(dice.below(size))
            case 2, 3: return size == 0 ? .early : .reset(dice.below(size))
            case 4: return .early
            case 5: return .chunked
            default: return dice.once(in: 2) ? .moved : .slow
            }
        case .pause, .cancel: return dice.once(in: 4) ? .slow : .none
        case .long: return dice.once(in: 8) ? .slow : .none
        case .calm, .drop, .invalidate: return .none
        }
    }

    func size(_ dice: inout Dice) -> Int {
        switch self {
        case .long: dice.pick(Content.long)
        case .mixed, .pause: dice.once(in: 16) ? dice.pick(Content.long) : dice.pick(Content.small)
        default: dice.pick(Content.small)
        }
    }
}
