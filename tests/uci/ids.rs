//! The list of known cases: each must be covered, or left out for a stated reason.

use crate::Dialogues;

/// Ids of severity A: a lost game, a crash or a hang.
const A: &str = "B01 B06 E02 G02 G03 G05 G07 G08 I01 I08 L02 M01 N02 N03 O01 O02 O05 P06 P09 P10 \
                 P11 P24 P25 P26 P28 P30 P32 Q03 Q04 Q05 Q10 R01 R04 R12 R13 T03 T05 T06 T08 W03 \
                 X01 X04 X05 Z04 Z05 Z06";

/// Ids of severity B: wrong for a GUI or manager.
const B: &str = "B02 B05 E01 F01 F02 F04 F05 F09 F10 G06 H02 H03 I02 I04 I05 I07 K01 L03 L04 L05 \
                 M03 M05 N04 N05 O04 O08 P04 P05 P07 P13 P22 P27 P33 Q07 Q08 Q09 Q11 Q13 R02 R03 \
                 R06 R08 T07 T10 T13 T14 W01 W04 W05 X03 X07 Z02 Z03 Z07";

/// Ids of severity C: nice to have.
const C: &str = "E04 H04 K02 L07 M06 O07 P03 P34 Q12 T11 T12";

/// Is every id there, once, with its severity, and does every case have exactly one body?
pub fn check(dialogues: &Dialogues) -> Result<(), String> {
    let mut problems = Vec::new();
    for (severity, ids) in [('A', A), ('B', B), ('C', C)] {
        for id in ids.split_whitespace() {
            let case = dialogues.case.iter().find(|case| case.id == id);
            let left_out = dialogues.left_out.iter().find(|left_out| left_out.id == id);
            let found = match (case, left_out) {
                (Some(case), None) => case.severity,
                (None, Some(left_out)) if !left_out.reason.is_empty() => left_out.severity,
                (None, None) => {
                    problems.push(format!("{id} is neither covered nor left out"));
                    continue;
                }
                _ => {
                    problems.push(format!("{id} is covered and left out, or without a reason"));
                    continue;
                }
            };
            if found != severity {
                problems.push(format!("{id} has severity {severity}, not {found}"));
            }
        }
    }
    for case in &dialogues.case {
        let bodies = [&case.script, &case.code, &case.elsewhere];
        if bodies.iter().filter(|body| body.is_some()).count() != 1 {
            problems.push(format!("{} must have exactly one body", case.id));
        }
        if dialogues
            .case
            .iter()
            .filter(|other| other.id == case.id)
            .count()
            != 1
        {
            problems.push(format!("{} stands there twice", case.id));
        }
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        if let Some(file) = &case.elsewhere
            && !root.join(file).exists()
        {
            problems.push(format!("{}: there is no {file}", case.id));
        }
        if let Some(name) = &case.code
            && !crate::coded::exists(name)
        {
            problems.push(format!("no function {name}"));
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n"))
    }
}
