//! All tests that need more than one module: one program, one file for each subject.

mod support;

mod scripts;
