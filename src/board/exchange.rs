//! Static exchange evaluation: who wins the captures on one square?

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::moves::Move;
use super::position::{Position, behind};
use crate::base::score::Score;

/// What a piece is worth in an exchange, by role (pawn first), in centipawns. The king is never
/// taken.
pub const VALUE: [Score; 6] = [100, 300, 300, 500, 900, 0];

/// The value of a piece in an exchange.
#[inline]
pub const fn value(role: Role) -> Score {
    VALUE[role as usize - 1]
}

/// Does the series of captures that a pseudo-legal move begins on its target square win at least
/// `threshold` centipawns for the side to move, both sides taking with their least valuable piece
/// and stopping when it suits them? Pinned pieces take part only along their pin, or once every
/// pinning piece has left its square.
pub fn static_exchange_evaluation(pos: &Position, m: Move, threshold: Score) -> bool {
    if m.is_castle() {
        return threshold <= 0;
    }
    let (from, to) = (m.from(), m.to());
    let Some(moved) = pos.role_at(from) else {
        return threshold <= 0;
    };
    let mut gain = pos.captured_role(m).map_or(0, value) - threshold;
    let mut standing = moved;
    if let Some(role) = m.promoted_role() {
        gain += value(role) - value(Role::Pawn);
        standing = role;
    }
    if gain < 0 {
        return false;
    }
    // Good enough even if the piece is lost for nothing?
    let stake = value(standing) - gain;
    if stake <= 0 {
        return true;
    }
    let mut occupied = pos.occupied() & !Bitboard::from(from) | Bitboard::from(to);
    if m.is_en_passant() {
        occupied &= !Bitboard::from(behind(to));
    }
    Exchange::new(pos, to, occupied).succeeds(pos.turn(), stake)
}

/// What the exchange that a pseudo-legal move begins is worth to the side to move, in centipawns:
/// the largest threshold that [`static_exchange_evaluation`] reaches, found by bisection.
pub fn exchange_value(pos: &Position, m: Move) -> Score {
    // At worst a queen is lost for nothing; at best one is taken by a pawn that becomes another.
    let mut reached = -value(Role::Queen);
    let mut missed = 2 * value(Role::Queen);
    while missed - reached > 1 {
        let middle = reached + (missed - reached) / 2;
        if static_exchange_evaluation(pos, m, middle) {
            reached = middle;
        } else {
            missed = middle;
        }
    }
    reached
}

/// An exchange on `square` in progress.
struct Exchange<'a> {
    pos: &'a Position,
    square: Square,
    occupied: Bitboard,
    /// Who attacks the square, of both sides, with pieces behind others found on the way.
    attackers: Bitboard,
}

impl Exchange<'_> {
    fn new(pos: &Position, square: Square, occupied: Bitboard) -> Exchange<'_> {
        let board = pos.board();
        let attackers = attacks::pawn_attacks(Color::Black, square) & board.pawns() & board.white()
            | attacks::pawn_attacks(Color::White, square) & board.pawns() & board.black()
            | attacks::knight_attacks(square) & board.knights()
            | attacks::king_attacks(square) & board.kings()
            | attacks::rook_attacks(square, occupied) & board.rooks_and_queens()
            | attacks::bishop_attacks(square, occupied) & board.bishops_and_queens();
        Exchange {
            pos,
            square,
            occupied,
            attackers: attackers & occupied,
        }
    }

    /// Does `mover`, who has just captured on the square, get what it wants? `stake` is by how much
    /// it would miss that if its piece there were taken and the exchange ended.
    fn succeeds(mut self, mover: Color, stake: Score) -> bool {
        let mut stake = stake;
        let mut side = mover;
        let mut mover_wins = true;
        loop {
            side = side.other();
            let Some((from, role)) = self.least_valuable_attacker(side) else {
                return mover_wins;
            };
            self.leave(from, role);
            if role == Role::King {
                // The king takes only when nobody can take back.
                return mover_wins ^ !self.can_take(side.other());
            }
            mover_wins = !mover_wins;
            stake = value(role) - stake;
            // Does the taker keep the upper hand even if this piece is lost as well?
            if stake < Score::from(mover_wins) {
                return mover_wins;
            }
        }
    }

    /// The attackers of a side that are free to take.
    fn free_attackers(&self, side: Color) -> Bitboard {
        let own = self.attackers & self.occupied & self.pos.board().by_color(side);
        let king = self.pos.king_of(side);
        let mut free = own;
        for from in own & !self.pos.board().kings() {
            let line = attacks::ray(king, from);
            if line.is_empty() || line.contains(self.square) {
                continue;
            }
            if self.is_pinned(from, king, side) {
                free.discard(from);
            }
        }
        free
    }

    /// Would a piece leaving this square uncover its king, as things stand on the board?
    fn is_pinned(&self, from: Square, king: Square, side: Color) -> bool {
        let board = self.pos.board();
        let without = self.occupied & !Bitboard::from(from);
        let line = attacks::ray(king, from) & board.by_color(side.other()) & without;
        let (straight, diagonal) = (
            line & board.rooks_and_queens(),
            line & board.bishops_and_queens(),
        );
        // Looked up only when a slider stands on the line at all.
        (straight.any() && (attacks::rook_attacks(king, without) & straight).any())
            || (diagonal.any() && (attacks::bishop_attacks(king, without) & diagonal).any())
    }

    fn can_take(&self, side: Color) -> bool {
        self.free_attackers(side).any()
    }

    fn least_valuable_attacker(&self, side: Color) -> Option<(Square, Role)> {
        let free = self.free_attackers(side);
        Role::ALL.into_iter().find_map(|role| {
            let from = (free & self.pos.board().by_role(role)).first()?;
            Some((from, role))
        })
    }

    /// A piece leaves its square to take; whoever stood behind it joins.
    fn leave(&mut self, from: Square, role: Role) {
        let board = self.pos.board();
        self.occupied.discard(from);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            self.attackers |=
                attacks::bishop_attacks(self.square, self.occupied) & board.bishops_and_queens();
        }
        if matches!(role, Role::Rook | Role::Queen) {
            self.attackers |=
                attacks::rook_attacks(self.square, self.occupied) & board.rooks_and_queens();
        }
        self.attackers &= self.occupied;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;

    /// The value of the exchange: the largest threshold it reaches.
    fn exchange(fen: &str, m: &str) -> Score {
        let game = Game::from_fen(fen).expect("a legal position");
        let m = game.parse_uci(m).expect("a legal move");
        let reaches =
            |threshold: &Score| static_exchange_evaluation(game.position(), m, *threshold);
        let reached: Vec<Score> = (-2000..=2000).filter(reaches).collect();
        assert_eq!(
            reached.first(),
            Some(&-2000),
            "an exchange loses at most a queen"
        );
        let best = *reached.last().expect("at least one");
        assert_eq!(exchange_value(game.position(), m), best);
        assert_eq!(
            reached.len() as Score,
            best + 2001,
            "thresholds are monotonous"
        );
        best
    }

    #[test]
    fn an_undefended_pawn_is_a_pawn() {
        let fen = "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1";
        assert_eq!(exchange(fen, "e1e5"), 100);
    }

    #[test]
    fn a_long_exchange_stops_when_it_hurts() {
        let fen = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";
        assert_eq!(exchange(fen, "d3e5"), 100 - 300);
    }

    #[test]
    fn pieces_behind_others_join_in() {
        let doubled = "3r2k1/3r4/8/3p4/8/8/3R4/3R2K1 w - - 0 1";
        assert_eq!(exchange(doubled, "d2d5"), 100 - 500);
        let tripled = "3r2k1/3r4/8/3p4/8/3R4/3R4/3R2K1 w - - 0 1";
        assert_eq!(exchange(tripled, "d3d5"), 100);
        let queen_behind_bishop = "6k1/5p2/4p3/3p4/8/1B6/Q7/6K1 w - - 0 1";
        assert_eq!(exchange(queen_behind_bishop, "b3d5"), 100 - 300 + 100);
    }

    #[test]
    fn a_quiet_move_may_lose_the_piece() {
        let fen = "4k3/8/2p5/8/4N3/8/8/4K3 w - - 0 1";
        assert_eq!(exchange(fen, "e4f6"), 0);
        assert_eq!(exchange("4k3/8/2p5/8/8/4N3/8/4K3 w - - 0 1", "e3d5"), -300);
    }

    #[test]
    fn en_passant_takes_a_pawn() {
        assert_eq!(exchange("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", "e4d3"), 100);
        assert_eq!(exchange("8/8/8/2k5/3Pp3/8/2P5/4K3 b - d3 0 1", "e4d3"), 0);
        // The captured pawn opens the file for the rook behind it.
        assert_eq!(exchange("8/8/8/2k5/3Pp3/8/8/3RK3 b - d3 0 1", "e4d3"), 0);
    }

    #[test]
    fn promotion_wins_the_difference() {
        assert_eq!(exchange("8/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7e8q"), 800);
        assert_eq!(exchange("r7/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7e8q"), -100);
        assert_eq!(exchange("3r4/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7d8n"), 700);
    }

    #[test]
    fn a_king_takes_only_what_is_free() {
        assert_eq!(exchange("4k3/3p4/8/8/8/8/8/3RK3 w - - 0 1", "d1d7"), -400);
        assert_eq!(exchange("4k3/3p4/8/1B6/8/8/8/3RK3 w - - 0 1", "d1d7"), 100);
        assert_eq!(exchange("4k3/8/8/8/8/8/3p4/3RK3 w - - 0 1", "e1d2"), 100);
    }

    #[test]
    fn a_pinned_piece_does_not_take_back() {
        assert_eq!(exchange("3k4/8/5n2/3p4/8/8/8/3RK3 w - - 0 1", "d1d5"), -400);
        assert_eq!(exchange("3k4/8/5n2/3p4/7B/8/8/3RK3 w - - 0 1", "d1d5"), 100);
        // Along its pin it does.
        assert_eq!(exchange("3k4/3r4/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5"), -400);
    }

    #[test]
    fn castling_is_no_exchange() {
        assert_eq!(exchange("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1"), 0);
    }
}
