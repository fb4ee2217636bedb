//! Compiles the contract of gRPC, without protoc, where the feature `grpc` is on.

#[cfg(feature = "grpc")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::path::{Path, PathBuf};
    use std::{env, fs, io};

    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("proto");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files: Vec<PathBuf> = fs::read_dir(root.join("trunkline/v1"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "proto"));
    files.sort();
    let mut compiler = protox::Compiler::new([&root])?;
    compiler.include_imports(true).open_files(&files)?;
    // As bytes, because the options that say which call of REST a method mirrors are lost in prost's own types.
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("trunkline.bin"), compiler.encode_file_descriptor_set())?;
    tonic_prost_build::configure()
        .build_server(false)
        .bytes(".")
        .compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}

#[cfg(not(feature = "grpc"))]
fn main() {}
