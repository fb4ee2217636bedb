//! Prints the text of `config/default.toml`; `make config` writes it there.

fn main() {
    print!("{}", settings::Settings::default_toml());
}
