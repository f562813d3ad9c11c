//! Text from outside, made fit for one line of a message, for a page, or for a shell.

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

/// Text as it may stand between the tags of a page or a picture.
pub fn between_tags(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A whole number of any length, cut to what 64 bits hold; `None` when it is no whole number.
pub fn whole_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.parse().unwrap_or(i64::MAX);
    Some(if text.starts_with('-') {
        -magnitude
    } else {
        magnitude
    })
}

/// A word as a POSIX shell reads it back.
pub fn shell_word(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_=+./:,@%^".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_saturate_and_nothing_else_is_one() {
        assert_eq!(whole_number("12"), Some(12));
        assert_eq!(whole_number("+7"), Some(7));
        assert_eq!(whole_number("-99999999999999999999"), Some(-i64::MAX));
        for text in ["", "-", "+-1", "1e3", "3.5", "x", "1 2"] {
            assert_eq!(whole_number(text), None);
        }
    }

    #[test]
    fn an_excerpt_is_short_and_has_no_line_ends() {
        assert_eq!(excerpt("Move Overhead"), "Move Overhead");
        assert_eq!(excerpt("a\r\n\0b"), "a\\r\\n\\u{0}b");
        let long = excerpt(&"ä".repeat(1_000_000));
        assert_eq!(long.chars().count(), EXCERPT + 1);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn words_are_quoted_when_a_shell_would_split_or_change_them() {
        assert_eq!(shell_word("tc=2+0.02"), "tc=2+0.02");
        assert_eq!(
            shell_word("option.Move Overhead=30"),
            "'option.Move Overhead=30'"
        );
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("$HOME"), "'$HOME'");
    }
}
