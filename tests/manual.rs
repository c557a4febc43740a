//! Completion scripts and manual pages cover every command and option.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::process::Command;

use common::hotstone;

fn stdout(arguments: &[&str]) -> String {
    let output = hotstone(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn help(command: &[&str]) -> String {
    stdout(&[command, &["--help"]].concat())
}

/// The commands that a help text lists, except itself.
fn commands(help: &str) -> Vec<&str> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let named = listed.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    named.filter_map(|line| line.split_whitespace().next()).filter(|&name| name != "help").collect()
}

/// The long options that a help text explains.
fn options(help: &str) -> impl Iterator<Item = &str> {
    let explained = help.lines().filter(|line| line.trim_start().starts_with('-'));
    let words = explained.flat_map(|line| line.split([' ', ',', '[', '=']));
    words.filter(|word| word.starts_with("--"))
}

#[test]
fn every_shell_gets_a_script_with_every_command() {
    let help = help(&[]);
    let names = commands(&help);
    assert!(names.len() > 15, "{names:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout(&["completions", shell]);
        for name in &names {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
    let unknown = hotstone(&["completions", "tcsh"]);
    assert!(!unknown.status.success());
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("bash"));
}

#[test]
fn bash_completes_commands_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("hotstone");
    fs::write(&script, stdout(&["completions", "bash"])).unwrap();
    let completed = |words: &str, last: usize| {
        let typed = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD={last}; \
             _hotstone hotstone \"${{COMP_WORDS[{last}]}}\" \"${{COMP_WORDS[{last} - 1]}}\"; \
             echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        // It complains of a locale that is not installed.
        let output = Command::new("bash").args(["-c", &typed]).env("LC_ALL", "C").output().unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(completed("hotstone rep", 1), "replay");
    assert_eq!(completed("hotstone rules --pa", 2), "--parts");
}

#[test]
fn every_command_has_a_page_with_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/man1");
    assert_eq!(stdout(&["man", "--out", pages.to_str().unwrap()]), "");
    let page = |words: &[&str]| {
        let name = [&["hotstone"], words].concat().join("-");
        let text = fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
        assert!(text.contains(".TH"), "{name}");
        text.replace("\\-", "-")
    };
    let top = page(&[]);
    assert_eq!(stdout(&["man"]).replace("\\-", "-"), top);
    for name in commands(&help(&[])) {
        assert!(top.contains(&format!("hotstone-{name}(1)")), "{name}");
        page(&[name]);
    }
    // A look at some is enough: each start of the program takes a while.
    let looked_at: &[&[&str]] = &[
        #[cfg(feature = "train")]
        &["train"],
        #[cfg(feature = "train")]
        &["bench", "selfplay"],
        &["gtp"],
        &["bench", "network"],
    ];
    for command in looked_at.iter().copied() {
        let (page, help) = (page(command), help(command));
        assert!(options(&help).count() > 3, "{help}");
        for option in options(&help) {
            assert!(page.contains(option), "{command:?}: {option}");
        }
    }

    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = hotstone(&["man", "--out", file.to_str().unwrap()]);
    assert!(!refused.status.success());
    assert!(String::from_utf8(refused.stderr).unwrap().starts_with("error: cannot write to "));
}
