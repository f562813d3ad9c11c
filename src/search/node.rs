//! The kinds of node: decided at compile time where the recursion branches on them.

/// A kind of node in the tree.
pub trait NodeKind {
    /// Is it part of a principal variation, searched with an open window?
    const PV: bool;
    /// Is it the root?
    const ROOT: bool;
    /// The kind of a child that is searched with an open window.
    type Child: NodeKind;
}

/// The root.
pub struct Root;
/// A node of a principal variation.
pub struct Pv;
/// A node with a null window.
pub struct NonPv;

impl NodeKind for Root {
    const PV: bool = true;
    const ROOT: bool = true;
    type Child = Pv;
}

impl NodeKind for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
    type Child = Pv;
}

impl NodeKind for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
    type Child = NonPv;
}
