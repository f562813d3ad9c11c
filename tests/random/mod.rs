//! Random numbers and positions, the same in every run.

/// A small random number generator (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// The FEN of a board with two kings and up to thirty other pieces strewn over it; often illegal.
pub fn random_fen(random: &mut Random) -> String {
    const PIECES: [char; 10] = ['p', 'n', 'b', 'r', 'q', 'P', 'N', 'B', 'R', 'Q'];
    let mut squares = ['1'; 64];
    for _ in 0..random.below(30) {
        squares[random.below(64)] = random.pick(&PIECES);
    }
    // Half of the time the kings stand where they may castle.
    let backrank = random.below(2) == 0;
    squares[random.below(if backrank { 8 } else { 64 })] = 'k';
    squares[if backrank {
        56 + random.below(8)
    } else {
        random.below(64)
    }] = 'K';
    let ranks: Vec<String> = squares
        .chunks(8)
        .map(|rank| rank.iter().collect())
        .collect();
    let turn = random.pick(&["w", "b"]);
    let castling = random.pick(&["-", "KQkq", "Kq", "HAha", "Bg", "kqBC"]);
    let en_passant = random.pick(&["-", "a3", "e3", "d6", "h6"]);
    format!("{} {turn} {castling} {en_passant} 0 1", ranks.join("/"))
}
