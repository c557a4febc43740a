//! Any lines sent to a GTP engine: every command gets one well-formed reply, and the game stays consistent.

#![no_main]

use bot::gtp::Engine;
use bot::{Player, SupportedRules, Settings};
use engine::Variant;
use libfuzzer_sys::fuzz_target;
use search::evaluators::Uniform;

fuzz_target!(|input: &[u8]| {
    let Some((&first, lines)) = input.split_first() else { return };
    let variant = Variant::ALL[usize::from(first) % Variant::ALL.len()];
    let supported = SupportedRules::new(variant.name(), &[2, 3, 5]).expect("sizes that exist");
    let mut settings = Settings::default();
    settings.search.simulations = 2;
    let mut engine = Engine::new(Player::new(supported, Uniform, settings), "fuzz").without_files();
    for line in lines.split(|&byte| byte == b'\n').take(100) {
        // A request for an hour of thinking time is granted, which a fuzzer has no use for.
        if line.windows(3).any(|word| word.eq_ignore_ascii_case(b"max")) {
            continue;
        }
        let Some(reply) = engine.answer(line) else { continue };
        let text = reply.to_string();
        assert!(text.starts_with('=') || text.starts_with('?'), "{text}");
        assert!(text.ends_with("\n\n") && !text.trim_end().contains("\n\n"), "{text}");
    }
    let game = engine.player().game();
    assert_eq!(usize::from(game.position().turns()), game.turns().len());
});
