//! The invariants of ARCHITECTURE.md that say what a part must not contain.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use syn::visit::{self, Visit};

/// All Rust sources below a folder of the workspace.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn visit(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    visit(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    assert!(!found.is_empty(), "{folder} has no source");
    found
}

fn without_comments(text: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text.lines().map(code).collect::<Vec<_>>().join("\n")
}

/// Code without the items that only tests have. Formatted code ends an item with a line that is
/// indented like its first one.
fn without_tests(code: &str) -> String {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let mut kept = Vec::new();
    let mut lines = code.lines().map(str::trim_end);
    while let Some(line) = lines.next() {
        if line.trim_start() == "#[cfg(test)]" {
            lines
                .find(|&last| indentation(last) == indentation(line) && last.ends_with([';', '}']));
        } else {
            kept.push(line);
        }
    }
    kept.join("\n")
}

fn assert_absent(folder: &str, words: &[&str]) {
    for (path, text) in sources(folder) {
        let code = without_comments(&text);
        for word in words {
            assert!(!code.contains(word), "{} uses {word}", path.display());
        }
    }
}

/// What a package depends on, on any system.
fn dependencies(package: &str) -> toml::Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(package).join("Cargo.toml");
    let manifest: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let systems = manifest.get("target").and_then(toml::Value::as_table);
    let systems = systems.into_iter().flat_map(|systems| systems.values());
    let tables = systems.filter_map(toml::Value::as_table).chain([&manifest]);
    tables
        .filter_map(|table| table.get("dependencies")?.as_table())
        .flat_map(Clone::clone)
        .collect()
}

/// The workspace's packages, the program itself as ".".
fn packages() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let manifest: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    let members = members.iter().map(|member| member.as_str().unwrap().to_owned());
    members.chain([".".to_owned()]).collect()
}

#[test]
fn rules_and_search_are_pure() {
    let impure =
        ["std::fs", "std::io", "std::net", "std::thread", "std::time", "std::env", "rand::"];
    for folder in ["engine/src", "search/src"] {
        assert_absent(folder, &impure);
    }
}

#[test]
fn search_never_reads_a_stone() {
    for (path, text) in sources("search/src") {
        // Evaluators are outside the search: they may look at stones.
        if !path.ends_with("evaluators.rs") {
            let code = without_comments(&text);
            assert!(!code.contains(".stones(") && !code.contains("Bitboard"), "{}", path.display());
        }
    }
}

#[test]
fn only_the_variant_files_name_variants() {
    for package in packages() {
        for (path, text) in sources(&format!("{package}/src")) {
            if path.parent().is_some_and(|folder| folder.ends_with("engine/src/variant")) {
                continue;
            }
            // Tests inside a source file, or in one of its own, may name what they test.
            if path.ends_with("tests.rs") {
                continue;
            }
            let code = without_tests(&without_comments(&text));
            for named in code.match_indices("Variant::") {
                let rest = &code[named.0 + "Variant::".len()..];
                assert!(
                    rest.starts_with("ALL") || rest.starts_with(char::is_lowercase),
                    "{} names a variant: Variant::{}",
                    path.display(),
                    rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
                );
            }
        }
    }
}

/// The enums of rule sets.
static AXES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let (_, text) = sources("engine/src/rules")
        .into_iter()
        .find(|(path, _)| path.ends_with("axes.rs"))
        .unwrap();
    let code = without_comments(&text);
    let declared = code.split("axis! {").skip(1).map(|rest| {
        let name = rest.lines().find(|line| line.ends_with('{')).unwrap();
        name.trim_end_matches('{').trim().to_owned()
    });
    declared.collect()
});

/// A source's uses of the axes.
#[derive(Default)]
struct AxisUse {
    faults: Vec<String>,
    /// Names of axis values outside of a pattern that takes a whole `Rules` apart.
    named: Vec<String>,
}

/// The axis of a path that names a value.
fn axis(path: &syn::Path) -> Option<String> {
    let (value, rest) = path
        .segments
        .iter()
        .collect::<Vec<_>>()
        .split_last()
        .map(|(v, r)| (v.ident.to_string(), r.to_vec()))?;
    let axis = rest.last()?.ident.to_string();
    let is_value = value.starts_with(|first: char| first.is_ascii_uppercase())
        && value.chars().any(|letter| letter.is_ascii_lowercase());
    (is_value && AXES.contains(&axis)).then_some(axis)
}

/// The axes that a pattern names.
fn axes_of(pattern: &syn::Pat) -> Vec<String> {
    struct Found(Vec<String>);
    impl Visit<'_> for Found {
        fn visit_path(&mut self, path: &syn::Path) {
            self.0.extend(axis(path));
            visit::visit_path(self, path);
        }
    }
    let mut found = Found(Vec::new());
    found.visit_pat(pattern);
    found.0
}

/// Whether a pattern matches everything.
fn is_catch_all(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Wild(_) => true,
        syn::Pat::Ident(ident) => ident.subpat.is_none(),
        syn::Pat::Tuple(tuple) => tuple.elems.iter().all(is_catch_all),
        syn::Pat::Reference(inner) => is_catch_all(&inner.pat),
        syn::Pat::Paren(inner) => is_catch_all(&inner.pat),
        _ => false,
    }
}

impl Visit<'_> for AxisUse {
    fn visit_item_mod(&mut self, module: &syn::ItemMod) {
        // Tests inside a source file may name what they test.
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, _: &syn::ItemUse) {}

    fn visit_expr_match(&mut self, matched: &syn::ExprMatch) {
        let named: Vec<String> = matched.arms.iter().flat_map(|arm| axes_of(&arm.pat)).collect();
        if let Some(axis) = named.first()
            && matched.arms.iter().any(|arm| is_catch_all(&arm.pat))
        {
            self.faults.push(format!("a match on {axis} has an arm for everything else"));
        }
        visit::visit_expr_match(self, matched);
    }

    fn visit_expr_let(&mut self, condition: &syn::ExprLet) {
        let named = axes_of(&condition.pat);
        self.faults.extend(named.iter().map(|axis| format!("'if let' on {axis}")));
        visit::visit_expr_let(self, condition);
    }

    fn visit_expr_binary(&mut self, binary: &syn::ExprBinary) {
        if matches!(binary.op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_)) {
            for side in [&binary.left, &binary.right] {
                if let syn::Expr::Path(path) = &**side
                    && let Some(axis) = axis(&path.path)
                {
                    self.faults.push(format!("a comparison with a value of {axis}"));
                }
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_macro(&mut self, called: &syn::Macro) {
        let text = called.tokens.to_string().replace(' ', "");
        if called.path.is_ident("matches")
            && let Some(axis) = AXES.iter().find(|axis| text.contains(&format!("{axis}::")))
        {
            self.faults.push(format!("matches! on {axis}"));
        }
    }

    fn visit_pat_struct(&mut self, pattern: &syn::PatStruct) {
        if pattern.path.is_ident("Rules") {
            if pattern.rest.is_some() {
                self.faults.push("rules are taken apart with '..'".to_owned());
            }
        } else {
            visit::visit_pat_struct(self, pattern);
        }
    }

    fn visit_path(&mut self, path: &syn::Path) {
        self.named.extend(axis(path));
        visit::visit_path(self, path);
    }
}

fn axis_use(source: &str) -> AxisUse {
    let mut found = AxisUse::default();
    found.visit_file(&syn::parse_file(source).unwrap());
    found
}

/// A new value of an axis must not compile until every place that decides by the axis has been
/// updated. The table of fields is the only place that names each value.
#[test]
fn no_place_decides_about_values_that_it_does_not_name() {
    for package in packages() {
        for (path, text) in sources(&format!("{package}/src")) {
            let AxisUse { faults, named } = axis_use(&text);
            if !path.ends_with("engine/src/rules/fields.rs") {
                assert!(faults.is_empty(), "{}: {faults:?}", path.display());
            }
            if package != "engine" {
                assert!(named.is_empty(), "{} names values of {named:?}", path.display());
            }
        }
    }
}

#[test]
fn the_reading_of_sources_finds_what_it_is_for() {
    let faults = |body: &str| axis_use(&format!("fn f() {{ {body} }}")).faults.len();
    assert_eq!(faults("match ban { Ban::None => 1, Ban::Stoical | Ban::Incursion => 2 }"), 0);
    assert_eq!(
        faults("match both { (Family::Go, Ending::Area) => 1, (Family::AlterIgo, _) => 2 }"),
        0
    );
    assert_eq!(faults("match ban { Ban::None => 1, _ => 2 }"), 1);
    assert_eq!(faults("match ban { engine::Ban::None => 1, other => 2 }"), 1);
    assert_eq!(faults("match both { (Ban::None, 1) => 1, (_, _) => 2 }"), 1);
    assert_eq!(faults("if ban == Ban::None {}"), 1);
    assert_eq!(faults("if let Ban::None = ban {}"), 1);
    assert_eq!(faults("matches!(ban, Ban::None)"), 1);
    assert_eq!(faults("let Rules { ban: Ban::None, .. } = rules else { return };"), 1);
    let named = |body: &str| axis_use(&format!("fn f() {{ {body} }}")).named.len();
    assert_eq!(named("let Rules { ban: Ban::None, size: _ } = rules else { return };"), 0);
    assert_eq!(named("g(Ban::None); Ban::ALL"), 1);
    let tests = "#[cfg(test)]\nmod tests;\nuse a;\n#[cfg(test)]\nmod b {\n    use c;\n}\nuse d;";
    assert_eq!(without_tests(tests), "use a;\nuse d;");
}

#[test]
fn only_models_links_libtorch_and_only_with_its_feature() {
    for package in packages() {
        let found = dependencies(&package);
        for libtorch in ["tch", "torch-sys"].map(|name| found.get(name)).into_iter().flatten() {
            let is_optional = libtorch.get("optional").is_some_and(|it| it.as_bool() == Some(true));
            assert!(package == "models" && is_optional, "{package}");
        }
    }
}

#[test]
fn dependencies_point_one_way() {
    let allowed: [(&str, &[&str]); 17] = [
        ("engine", &[]),
        ("search", &["engine"]),
        ("kernels", &[]),
        ("models", &["engine", "search", "kernels"]),
        ("selfplay", &["engine", "search"]),
        ("fleet", &["selfplay"]),
        ("game", &["engine"]),
        ("solver", &["engine", "search"]),
        ("arena", &["engine", "search", "game", "solver"]),
        ("studies", &["engine", "search", "game", "solver", "arena"]),
        ("bot", &["engine", "search", "game"]),
        ("interface", &["engine", "search", "game", "bot"]),
        ("server", &["engine", "search", "game", "bot", "interface"]),
        ("browser", &["engine", "search", "game", "models", "arena", "bot", "interface"]),
        ("train", &["engine", "search", "models", "selfplay", "arena"]),
        ("python", &["engine", "search", "models", "bot"]),
        ("xtask", &[]),
    ];
    let packages = packages();
    let known: Vec<&str> = allowed.iter().map(|&(package, _)| package).chain(["."]).collect();
    assert!(packages.iter().all(|package| known.contains(&package.as_str())), "{packages:?}");
    for (package, allowed) in allowed {
        for ours in dependencies(package).keys().filter(|name| packages.contains(name)) {
            assert!(allowed.contains(&ours.as_str()), "{package} depends on {ours}");
        }
    }
}

/// Other crates transport the interface, also in a browser, where there are no files, threads or
/// clocks.
#[test]
fn the_interface_carries_nothing() {
    let carried = ["std::fs", "std::net", "std::thread", "std::time", "tokio", "axum", "rand::"];
    for folder in ["interface/src", "browser/src"] {
        assert_absent(folder, &carried);
    }
}

/// Everybody else calls them from threads.
#[test]
fn only_the_fleet_and_the_server_are_asynchronous() {
    for package in packages().into_iter().filter(|package| package != "fleet") {
        let found = dependencies(&package);
        let asynchronous: &[&str] =
            if package == "server" { &["object_store"] } else { &["object_store", "tokio"] };
        for name in asynchronous {
            assert!(!found.contains_key(*name), "{package} depends on {name}");
        }
    }
}

#[test]
fn only_the_bot_knows_protocols() {
    for package in packages().into_iter().filter(|package| package != "bot" && package != ".") {
        assert_absent(&format!("{package}/src"), &["gogui-", "known_command", "list_commands"]);
    }
}
