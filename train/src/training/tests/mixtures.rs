//! Runs that learn several rule sets, or boards of several sizes.

use engine::Rules;
use models::Card;

use super::*;

#[test]
fn one_run_learns_boards_of_several_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let text = SMOKE.replace("size = 4", "sizes = [[3, 1.0], [4, 1.0]]");
    let config = RunConfig::parse(&text, "smoke.toml", &[]).unwrap();
    Training::begin(folder.path(), config, OPTIONS, None).unwrap().run().unwrap();
    let card = Card::load(&models::model_folder(folder.path()).unwrap()).unwrap();
    assert_eq!(card.sizes, [3, 4].map(|side| engine::Size::try_from(side).unwrap()));
}

const MIXED: &str = "[[mixture]]\nrules = ['go', 'tile', 'alter-igo']\nshare = 1.0\n[[mixture]]\ncombined = true\nshare = 1.0\n";

/// A run of several rule sets on two sizes.
fn mixed(folder: &Path, model: Option<&Path>) -> Training {
    let text = format!("held_out = 7\n{SMOKE}\n{MIXED}")
        .replace("size = 4", "sizes = [[4, 1.0], [5, 1.0]]");
    let changes =
        ["self_play.komi_share=1", "self_play.komi_step=0.5", "evaluation.panel=['go', 'tile']"];
    let config = RunConfig::parse(&text, "mixed", &changes.map(ToOwned::to_owned)).unwrap();
    let starting_model = model.map(|model| StartingModel::read(model).unwrap());
    Training::begin(folder, config, OPTIONS, starting_model).unwrap()
}

#[test]
fn a_mixture_is_played_size_by_size_and_its_model_knows_what_it_has_learnt() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut training = mixed(folders[0].path(), None);
    for _ in 0..2 {
        training.play().unwrap();
        training.learn_and_publish().unwrap();
    }
    let rows = training.rules.sizes().into_iter().map(|size| training.state.kinds.rows_on(size));
    assert!(rows.min() > Some(0), "each size has had its phase");
    training.checkpoint().unwrap();
    let model = models::model_folder(folders[0].path()).unwrap();
    let card = Card::load(&model).unwrap();
    let scope = card.scope.as_ref().unwrap();
    let rules = |text: &str| Rules::parse(text, 5).unwrap();
    assert_eq!(scope.excludes(&rules("stoical,tiles=tile,end=area")), None);
    assert!(card.check(&model, Some(&rules("cushion,komi=2"))).is_ok());
    let refused = card.check(&model, Some(&rules("go,stones_per_turn=4,suicide=false")));
    assert!(refused.unwrap_err().to_string().contains("stones_per_turn=4"));

    // Another run continues from there, with the known fair compensations.
    let again = mixed(folders[1].path(), Some(&model));
    assert_eq!(again.state.step, 0);
    let fair = |training: &Training| -> Vec<Option<f32>> {
        let kinds = &training.state.kinds;
        let tables = ["go", "tile", "alter-igo"].map(|text| [4, 5].map(|size| (text, size)));
        let known = |(text, size)| kinds.fair(&Rules::parse(text, size).unwrap());
        tables.into_iter().flatten().map(known).collect()
    };
    assert!(fair(&training).iter().any(Option::is_some));
    assert_eq!(fair(&again), fair(&training));
}
