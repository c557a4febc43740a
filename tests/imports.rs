//! Within a crate, files depend on each other in one direction: no circular imports.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// A module's place in its crate: `["rules", "text"]`.
type Module = Vec<String>;

/// One file's references to others.
#[derive(Default)]
struct Source {
    children: BTreeSet<String>,
    /// Paths that it uses, as written.
    paths: BTreeSet<Vec<String>>,
    /// Names that it re-exports, each with its path.
    handed_on: BTreeMap<String, Vec<String>>,
}

impl Source {
    fn import(&mut self, tree: &syn::UseTree, mut path: Vec<String>, is_handed_on: bool) {
        match tree {
            syn::UseTree::Path(step) => {
                path.push(step.ident.to_string());
                self.import(&step.tree, path, is_handed_on);
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.import(item, path.clone(), is_handed_on));
            }
            syn::UseTree::Glob(_) => drop(self.paths.insert(path)),
            syn::UseTree::Name(_) | syn::UseTree::Rename(_) => {
                let (name, alias) = match tree {
                    syn::UseTree::Rename(rename) => (&rename.ident, &rename.rename),
                    syn::UseTree::Name(name) => (&name.ident, &name.ident),
                    _ => unreachable!("no other trees end a path"),
                };
                if name != "self" {
                    path.push(name.to_string());
                }
                if is_handed_on {
                    self.handed_on.insert(alias.to_string(), path.clone());
                }
                self.paths.insert(path);
            }
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
    })
}

impl Visit<'_> for Source {
    fn visit_item_mod(&mut self, module: &syn::ItemMod) {
        if is_test(&module.attrs) {
            return;
        }
        if module.content.is_none() {
            self.children.insert(module.ident.to_string());
        }
        visit::visit_item_mod(self, module);
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        let is_handed_on = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, Vec::new(), is_handed_on);
    }

    /// `pub(super)` imports nothing.
    fn visit_visibility(&mut self, _: &syn::Visibility) {}

    fn visit_path(&mut self, path: &syn::Path) {
        self.paths.insert(path.segments.iter().map(|part| part.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The folders of all packages of the workspace.
fn packages() -> Vec<String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let manifest: toml::Table = fs::read_to_string(manifest).unwrap().parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap().iter();
    members.map(|member| member.as_str().unwrap().to_owned()).chain([".".to_owned()]).collect()
}

/// The sources of a crate by their modules.
fn sources(package: &str) -> BTreeMap<Module, Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(package).join("src");
    let library = root.join("lib.rs");
    let first = if library.exists() { library } else { root.join("main.rs") };
    let mut found = BTreeMap::new();
    let mut waiting: Vec<(Module, PathBuf)> = vec![(Vec::new(), first)];
    while let Some((module, file)) = waiting.pop() {
        let mut source = Source::default();
        source.visit_file(&syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap());
        for child in &source.children {
            let module = [module.as_slice(), std::slice::from_ref(child)].concat();
            let folder = module.iter().fold(root.clone(), |folder, name| folder.join(name));
            let file = folder.with_extension("rs");
            let file = if file.exists() { file } else { folder.join("mod.rs") };
            waiting.push((module, file));
        }
        found.insert(module, source);
    }
    found
}

/// The module that defines a path, as seen from `module`; `None` if it is outside the crate.
fn defining(
    sources: &BTreeMap<Module, Source>,
    module: &[String],
    path: &[String],
) -> Option<Module> {
    let (first, mut rest) = path.split_first()?;
    let mut place = match first.as_str() {
        "crate" => Vec::new(),
        "self" => module.to_vec(),
        "super" => module.split_last()?.1.to_vec(),
        _ if sources[module].children.contains(first) => [module, &path[..1]].concat(),
        _ => return None,
    };
    while let Some((name, further)) = rest.split_first() {
        if name == "super" {
            (_, rest) = (place.pop()?, further);
            continue;
        }
        let child = [place.as_slice(), std::slice::from_ref(name)].concat();
        if sources.contains_key(&child) {
            (place, rest) = (child, further);
        } else {
            let handed_on = sources[&place].handed_on.get(name);
            return handed_on.map_or(Some(place.clone()), |path| defining(sources, &place, path));
        }
    }
    Some(place)
}

/// The modules in import cycles: those that remain after repeatedly removing modules that import
/// none of the others or are imported by none.
fn circles(package: &str) -> BTreeSet<Module> {
    let sources = sources(package);
    let mut imports: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (module, source) in &sources {
        // The root re-exports everything; what is imported through it is defined elsewhere.
        if module.is_empty() {
            continue;
        }
        let children = source.children.iter().map(|child| vec![child.clone()]);
        let paths = children.chain(source.paths.iter().cloned());
        let found = paths.filter_map(|path| defining(&sources, module, &path));
        imports.insert(module.clone(), found.filter(|other| other != module).collect());
    }
    loop {
        let before = imports.len();
        let left: BTreeSet<Module> = imports.keys().cloned().collect();
        imports.retain(|_, others| others.iter().any(|other| left.contains(other)));
        let imported: BTreeSet<Module> = imports.values().flatten().cloned().collect();
        imports.retain(|module, _| imported.contains(module));
        if imports.len() == before {
            return imports.into_keys().collect();
        }
    }
}

#[test]
fn files_import_each_other_one_way() {
    for package in packages() {
        let circles = circles(&package);
        assert!(circles.is_empty(), "{package}: {circles:?}");
    }
}
