//! A release build without the console would serve a page that says how to build it: it fails instead.

#[cfg(all(not(debug_assertions), not(console_built)))]
compile_error!(
    "The web console is not built: run scripts/build-console.sh before a release build. Debug builds do without it."
);
