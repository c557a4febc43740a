//! Files that no worker would send: all are refused with a reason, and the run goes on.

use bytes::Bytes;
use fleet::game_file::{self, Header, MAX_BYTES};
use fleet::{Examiner, FileName, Learner, LearnerSettings, Listed, Slot, Store, names};
use object_store::path::Path;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use selfplay::{TrainingRecord, TurnRecord};

use crate::simulation::{ENCODER, claim, run};

/// What a learner checks of a game.
struct Replay;

impl Examiner for Replay {
    type Game = ();

    fn examine(&self, game: TrainingRecord) -> Result<(), String> {
        let check = || {
            let mut position = game.start()?;
            for (turn, record) in game.turns.iter().enumerate() {
                let fault = |fault| selfplay::RecordError::Turn { turn: turn + 1, fault };
                record.check(&position.legal_moves(), game.size).map_err(fault)?;
                let played = game.played(turn)?;
                let illegal = |why| selfplay::RecordError::Illegal { turn: turn + 1, why };
                position.play(played).map_err(illegal)?;
            }
            game.check_end(&position)
        };
        check().map_err(|error: selfplay::RecordError| error.to_string())
    }
}

/// Two passes.
fn sound_game(seed: u64) -> TrainingRecord {
    let size = engine::Size::try_from(5).unwrap();
    let pass = engine::Move::Pass.action(size) as u16;
    let turn = TurnRecord {
        action: pass,
        root_value: 0.5,
        proven: None,
        surprise: 0.1,
        simulations: 8,
        target: vec![(pass, 65535)],
    };
    let mut game = TrainingRecord::begun("go", size, seed, 0, vec![turn.clone(), turn]);
    game.result = game.replay().unwrap().outcome().unwrap().result;
    game
}

fn slot() -> Slot {
    "a".parse().unwrap()
}

fn header(sequence: u64) -> Header {
    Header {
        run: run().id,
        name: FileName { slot: slot(), generation: 0, sequence },
        rules: run().rules,
        encoder: ENCODER,
        model: 0,
        evaluations: 16,
        games: 1,
        parked: Vec::new(),
    }
}

fn with_header(change: impl Fn(&mut Header)) -> impl Fn(u64) -> Bytes {
    move |sequence| {
        let mut header = header(sequence);
        change(&mut header);
        game_file::encode(&header, &[sound_game(sequence)]).unwrap()
    }
}

fn with_game(change: impl Fn(&mut TrainingRecord)) -> impl Fn(u64) -> Bytes {
    move |sequence| {
        let mut game = sound_game(sequence);
        change(&mut game);
        game_file::encode(&header(sequence), &[game]).unwrap()
    }
}

/// A good file of which the bytes are changed.
fn with_bytes(change: impl Fn(&mut Vec<u8>)) -> impl Fn(u64) -> Bytes {
    move |sequence| {
        let mut bytes = with_header(|_| {})(sequence).to_vec();
        change(&mut bytes);
        bytes.into()
    }
}

/// The header of a file, and games that unpack to a gigabyte.
fn bomb(sequence: u64) -> Bytes {
    let empty = Header { games: 0, ..header(sequence) };
    let mut bytes = game_file::encode(&Header { games: 1, ..empty }, &[]).unwrap().to_vec();
    let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    bytes.truncate(16 + length);
    // One game of that length.
    let zeros = std::io::Read::take(std::io::repeat(0), 1 << 30);
    let inside = std::io::Read::chain(&b"HSTGAME2\0\0\0\x40\0\0\0\0"[..], zeros);
    bytes.extend(zstd::encode_all(inside, 1).unwrap());
    assert!((bytes.len() as u64) < MAX_BYTES);
    bytes.into()
}

type Hostile = (&'static str, Box<dyn Fn(u64) -> Bytes>);

/// Files, each with a part of the reason for which it is refused.
fn hostile_files() -> Vec<Hostile> {
    fn file(why: &'static str, bytes: impl Fn(u64) -> Bytes + 'static) -> Hostile {
        (why, Box::new(bytes))
    }
    let other: Slot = "b".parse().unwrap();
    vec![
        file("not a game file", |_| Bytes::new()),
        file("not a game file", |_| Bytes::from("<html>503</html>")),
        file("not a game file", with_bytes(|bytes| bytes[7] = b'2')),
        file("its games are damaged", with_bytes(|bytes| bytes.truncate(bytes.len() - 9))),
        file("its header is damaged (checksum", with_bytes(|bytes| bytes[20] ^= 1)),
        file("its header is damaged (too long", with_bytes(|bytes| bytes[8..12].fill(255))),
        file("larger than a file of games can be", bomb),
        file("expected at most 8388608", |_| vec![7; MAX_BYTES as usize + 1].into()),
        file("of another run, \"b\"", with_header(|header| header.run = "b".to_owned())),
        file("of other rules", with_header(|header| header.rules = "\x1b[2J".repeat(9999))),
        file("of encoding 9", with_header(|header| header.encoder = 9)),
        file("the newest are of step 0", with_header(|header| header.model = 1)),
        file("expected at most 1099511627776", with_header(|header| header.evaluations = u64::MAX)),
        file("not under this name", with_header(move |header| header.name.slot = other.clone())),
        file("not under this name", with_header(|header| header.name.sequence += 1)),
        file("1 games: its header says 2", with_header(|header| header.games = 2)),
        file("numbers of games", with_header(|header| header.parked = vec![1])),
        file("weights that do not exist yet", with_game(|game| game.model = 5)),
        file("not a number from -1", with_game(|game| game.turns[0].root_value = f32::NAN)),
        file("surprise", with_game(|game| game.turns[0].surprise = f32::INFINITY)),
        file("illegal or repeated", with_game(|game| game.turns[0].target = vec![(999, 1)])),
        file("no weight", with_game(|game| game.turns[0].target = vec![(3, 0)])),
        file("the recorded result is", with_game(|game| game.result = engine::GameResult::Draw)),
        file("ends before the game", with_game(|game| drop(game.turns.pop()))),
        file("not a move of this board", with_game(|game| game.turns[1].action = 60_000)),
        file("the record's rules", with_game(|game| game.rules = "no such game".to_owned())),
    ]
}

async fn opened(store: &Store) -> Learner {
    assert_eq!(claim("x").enter(store, &slot()).await.unwrap(), 0);
    Learner::open(store.clone(), run(), LearnerSettings::default()).await.unwrap()
}

#[tokio::test]
async fn hostile_files_are_refused_with_a_reason_and_the_run_goes_on() {
    let store = Store::open("memory://").unwrap();
    let mut learner = opened(&store).await;
    let files = hostile_files();
    let count = files.len() as u64;
    for (sequence, (_, bytes)) in (0..).zip(&files) {
        store.put(&header(sequence).name.in_inbox(), bytes(sequence)).await.unwrap();
    }
    store.put(&header(count).name.in_inbox(), with_header(|_| {})(count)).await.unwrap();
    let taken = learner.take_in(&Replay, 0).await.unwrap();
    assert_eq!((taken.files as u64, taken.games.len()), (count + 1, 1));
    assert_eq!(taken.reasons.len() as u64, count);
    for ((name, why), (sequence, (expected, _))) in taken.reasons.iter().zip((0..).zip(&files)) {
        assert_eq!(name.sequence, sequence);
        assert!(why.contains(expected) && why.len() < 300, "{sequence}: {why:.300}");
        assert!(!why.contains('\x1b'), "{sequence}");
        let kept = store.get(&name.reason(), 1 << 10).await.unwrap().unwrap();
        assert_eq!(kept, format!("{why}\n"));
    }
    let newest = learner.newest();
    assert_eq!((newest.games, newest.refused.invalid_files), (1, count));
    assert!(store.list(&names::inbox()).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_no_worker_of_the_run_can_have_put_there_is_set_aside() {
    let store = Store::open("memory://").unwrap();
    let mut learner = opened(&store).await;
    let strange = ["inbox/A/0-0.games", "inbox/a/b/c", "inbox/x", "inbox/a/9-0.games"];
    for name in strange {
        store.put(&Path::from(name), with_header(|_| {})(0)).await.unwrap();
    }
    store.put(&header(0).name.in_inbox(), with_header(|_| {})(0)).await.unwrap();
    let taken = learner.take_in(&Replay, 0).await.unwrap();
    assert_eq!(taken.games.len(), 1);
    assert_eq!(learner.newest().refused.strange_files, 4);
    // A number that nobody has claimed does not make the real ones old.
    let marks = learner.newest().marks.of(&slot());
    assert_eq!(marks.len(), 1);
    let refused: Vec<Listed> = store.list(&names::refused()).await.unwrap();
    assert_eq!(refused.len(), 4);
    assert!(store.list(&names::inbox()).await.unwrap().is_empty());
}

#[tokio::test]
async fn nothing_of_a_banned_slot_counts() {
    let store = Store::open("memory://").unwrap();
    drop(opened(&store).await);
    let settings =
        LearnerSettings { banned: [slot()].into_iter().collect(), ..LearnerSettings::default() };
    let mut learner = Learner::open(store.clone(), run(), settings).await.unwrap();
    store.put(&header(0).name.in_inbox(), with_header(|_| {})(0)).await.unwrap();
    let taken = learner.take_in(&Replay, 0).await.unwrap();
    assert_eq!((taken.games.len(), taken.reasons[0].1.as_str()), (0, "slot a is banned"));
}

/// Changes bytes here and there.
fn mutilate(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    for _ in 0..random.random_range(1..6) {
        let place = random.random_range(0..=bytes.len());
        match random.random_range(0..4) {
            0 => bytes.truncate(place),
            1 => bytes.insert(place, random.next_u32() as u8),
            2 if place < bytes.len() => bytes[place] ^= 1 << random.random_range(0..8),
            _ => {
                let part: Vec<u8> = bytes[place..].iter().take(8).copied().collect();
                bytes.splice(place..place, part);
            }
        }
    }
}

/// Files that are damaged anywhere, also below their checksums.
fn fuzz(files: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let good = with_header(|_| {})(0).to_vec();
    let length = u32::from_le_bytes(good[8..12].try_into().unwrap()) as usize;
    let inside = zstd::decode_all(&good[16 + length..]).unwrap();
    let mut readable = 0;
    for _ in 0..files {
        let mut bytes = good[..16 + length].to_vec();
        // The games: the frame around them, or the record in it with the right checksum.
        let mut record = inside[16..].to_vec();
        mutilate(&mut record, &mut random);
        let mut games = b"HSTGAME2".to_vec();
        games.extend((record.len() as u32).to_le_bytes());
        games.extend(crc32c::crc32c(&record).to_le_bytes());
        games.extend(&record);
        if random.random_bool(0.2) {
            mutilate(&mut games, &mut random);
        }
        bytes.extend(zstd::encode_all(games.as_slice(), 1).unwrap());
        if random.random_bool(0.2) {
            mutilate(&mut bytes, &mut random);
        }
        if let Ok(file) = game_file::decode(&bytes) {
            readable += 1;
            file.games.into_iter().for_each(|game| drop(Replay.examine(game)));
        }
    }
    println!("{readable} of {files} readable");
    assert!(readable > files / 100, "nearly all fail before anything interesting: {readable}");
}

#[test]
fn no_file_makes_the_learner_fall() {
    fuzz(5_000);
}

#[test]
#[ignore = "minutes in release mode"]
fn no_file_of_very_many_makes_the_learner_fall() {
    fuzz(10_000_000);
}
