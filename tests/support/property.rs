//! Property tests that are the same in every run: with a fixed seed, and nothing stored on disk.

use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner},
};

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Checks a property with `cases` values. Panics with the smallest value that violates it.
pub fn holds<S: Strategy>(cases: u32, values: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    report(runner(cases).run(&values, property));
}

/// Checks a property that needs a runtime; `runtime` drives every case.
pub fn holds_async<S: Strategy>(
    cases: u32,
    values: S,
    runtime: &tokio::runtime::Runtime,
    property: impl AsyncFn(S::Value) -> Result<(), TestCaseError>,
) {
    report(runner(cases).run(&values, |value| runtime.block_on(property(value))));
}

fn report<T: std::fmt::Debug>(result: Result<(), TestError<T>>) {
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// A runtime on the test's own thread, on which its Redis lives.
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}
