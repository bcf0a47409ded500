//! Names the crates whose `PyInit_…` the interpreter is linked with.

pub use _pydantic_core as pydantic_core;
pub use cramjam;
pub use jiter_python as jiter;
pub use orjson;
pub use rpds;
