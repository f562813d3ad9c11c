//! Text from outside, made fit for one line of a message.

/// Characters of foreign text a message quotes at most.
const EXCERPT: usize = 60;

/// The beginning of a text on one line: control characters are escaped and what exceeds 60
/// characters is cut.
pub fn excerpt(text: &str) -> String {
    let mut short = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == EXCERPT {
            short.push('…');
            break;
        }
        if character.is_control() {
            short.extend(character.escape_default());
        } else {
            short.push(character);
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn an_excerpt_is_short_and_has_no_line_ends() {
        assert_eq!(excerpt("Move Overhead"), "Move Overhead");
        assert_eq!(excerpt("a\r\n\0b"), "a\\r\\n\\u{0}b");
        let long = excerpt(&"ä".repeat(1_000_000));
        assert_eq!(long.chars().count(), EXCERPT + 1);
        assert!(long.ends_with('…'));
    }

    const EXCERPT: usize = super::EXCERPT;
}
