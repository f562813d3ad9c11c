//! The search constants as spins, in builds with `--features tune`.

use std::fmt::Write;

use crate::base::params;
use crate::base::text::whole_number;

/// Appends an option line for each constant.
pub(super) fn options(out: &mut String) {
    for param in params::ALL {
        let (name, default, min, max) = (param.name, param.default, param.min, param.max);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "option name {name} type spin default {default} min {min} max {max}"
        );
    }
}

/// Sets a constant; `None` when no constant has this name, else whether the value is allowed.
pub(super) fn set(name: &str, value: Option<&str>) -> Option<bool> {
    let param = params::ALL.iter().find(|param| param.name == name)?;
    let number = value.map(str::trim).and_then(whole_number);
    let allowed = number
        .and_then(|number| i32::try_from(number).ok())
        .filter(|number| (param.min..=param.max).contains(number));
    Some(allowed.is_some_and(|number| params::set(name, number)))
}

/// The constants as tuners by simultaneous perturbation read them, such as the one of OpenBench:
/// name, type, default, least, greatest, step, learning rate.
pub(super) fn list() -> String {
    let mut text = String::new();
    for param in params::ALL {
        let (name, default, min) = (param.name, param.default, param.min);
        let (max, step) = (param.max, param.step);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}, int, {default}, {min}, {max}, {step}, 0.002");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_is_an_option_and_can_be_set_within_its_range() {
        let mut text = String::new();
        options(&mut text);
        assert_eq!(text.lines().count(), params::ALL.len());
        assert_eq!(list().lines().count(), params::ALL.len());
        for param in params::ALL {
            let set = |number: i32| set(param.name, Some(&number.to_string()));
            assert_eq!(set(param.max + 1), Some(false));
            assert_eq!(set(param.default), Some(true));
        }
        assert_eq!(set("no such constant", Some("1")), None);
    }
}
