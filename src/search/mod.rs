//! Floor 3: the search.

pub mod limits;
pub mod report;
