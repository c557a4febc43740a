//! Run folders that are interrupted, forked and resumed.

use models::Rated;

use super::*;

#[test]
fn a_checkpoint_that_was_about_to_be_replaced_is_put_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("run");
    let config = RunConfig::parse("rules = 'go'\nsize = 5\n[budget]\nminutes = 1.0\n", "x", &[]);
    let run = RunFolder::create(&root, &config.expect("a configuration")).expect("a run");
    let write = |text: &'static str| run.import(7, &[(STATE, text.as_bytes().to_vec())]);
    write("old").expect("written");
    write("new").expect("replaced");
    let target = run.checkpoint(7);
    let read = || fs::read_to_string(target.join(STATE)).expect("the checkpoint's file");
    assert_eq!(read(), "new");
    // Killed after the first of the two renames, and after both.
    fs::rename(&target, target.with_extension(REPLACED)).expect("renamed");
    drop(run);
    drop(RunFolder::resume(&root).expect("the run"));
    assert_eq!(read(), "new");
    fs::create_dir(target.with_extension(REPLACED)).expect("a folder");
    drop(RunFolder::resume(&root).expect("the run"));
    assert_eq!(read(), "new");
    assert!(!target.with_extension(REPLACED).exists());
    // A fork that is begun again is not resumed, so nothing is put back first.
    fs::remove_file(RunFolder::config_of(&root)).expect("removed");
    fs::create_dir(target.with_extension(REPLACED)).expect("a folder");
    fs::write(target.with_extension(REPLACED).join(STATE), "old").expect("written");
    let run = RunFolder::prepare(&root).expect("a folder without a run");
    run.import(7, &[(STATE, b"newest".to_vec())]).expect("replaced");
    assert_eq!(read(), "newest");
    assert!(!target.with_extension(REPLACED).exists());
}

/// `--fork runs/tile-9 --config 9 --rules tile` without `--run` does so. The run is not in use by
/// another process, so waiting would not help.
#[test]
fn a_run_is_not_forked_into_its_own_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = RunConfig::parse("rules = 'go'\nsize = 5\n[budget]\nminutes = 1.0\n", "x", &[]);
    let config = config.expect("a configuration");
    drop(RunFolder::create(folder.path(), &config).expect("a run"));
    let forked = RunFolder::fork(folder.path(), folder.path(), |_| config);
    let error = forked.err().expect("an error");
    assert!(matches!(error, TrainError::Run(RunError::Exists(_))), "{error}");
}

/// The ratings come last, so a state without the last of them parses as well as a complete one.
#[test]
fn a_state_without_its_last_lines_is_damaged() {
    let rated = |step| Rated { step, progress: 0.5, elo: 100.0, error: 20.0 };
    let state = RunState { rated: (0..4).map(rated).collect(), ..RunState::default() };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(STATE);
    let text = sealed(&toml::to_string(&state).expect("a state as text"));
    fs::write(&path, &text).expect("written");
    assert_eq!(RunFolder::state(folder.path()).expect("a whole state"), state);
    for length in 0..text.len() {
        fs::write(&path, &text[..length]).expect("written");
        let read = RunFolder::state(folder.path());
        assert!(matches!(read, Err(RunError::Damaged { .. })), "{length}: {read:?}");
    }
}

/// It must not be set aside as damaged, or the run would go on from an older checkpoint.
#[test]
fn a_state_of_another_version_is_told_as_that() {
    let text = toml::to_string(&RunState::default()).expect("a state as text");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(STATE), sealed(&format!("news = 1\n{text}"))).expect("written");
    let error = RunFolder::state(folder.path()).expect_err("an unknown field");
    assert!(matches!(error, RunError::OtherVersion { .. }), "{error}");
    assert!(error.to_string().contains("unknown field `news`"), "{error}");
}

/// Of its first line alone, which is a comment, an empty table would be read: whatever the run has
/// found out about fair games would be forgotten without a word.
#[test]
fn a_table_of_kinds_that_is_cut_short_is_damaged() {
    let kind = "[[kinds]]\nkind = '1047dc25e4af518b'\nsize = 7\ngames = 3\nrows = 60\n";
    let kinds = toml::from_str::<Kinds>(&format!("{kind}length = 20.0\nfair = 9.25\n"));
    let kinds = kinds.expect("a table");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(KINDS);
    let text = sealed(&toml::to_string(&kinds).expect("a table as text"));
    fs::write(&path, &text).expect("written");
    assert_eq!(kinds_in(folder.path()).expect("a whole table"), kinds);
    for length in 0..text.len() {
        fs::write(&path, &text[..length]).expect("written");
        let read = kinds_in(folder.path());
        assert!(matches!(read, Err(RunError::Damaged { .. })), "{length}: {read:?}");
    }
}
