//! Plays many games at once against a server, as fast as it answers, and reports the response
//! times:
//!
//!     cargo run --release -p server --example load -- ADDRESS
//!         [--games N] [--seconds N] [--level N] [--process PID]
//!
//! Each game has its own connection. Every answer other than a success ends the run with an error.
//! If the id of the server's process is given, its resident memory is also reported (Linux).

use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Rule sets and boards of the games, in rotation.
const GAMES: [(&str, u8); 6] =
    [("go", 9), ("tile", 9), ("conquest", 9), ("incursion", 9), ("hot-stone", 7), ("alter-igo", 5)];

#[derive(Clone)]
struct Plan {
    address: String,
    level: u8,
    until: Instant,
}

/// Response times, in seconds.
#[derive(Default)]
struct Times {
    turns: Vec<f32>,
    games: usize,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let (mut address, mut games, mut seconds, mut level, mut process) = (None, 200, 60, 1, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--games" => games = value()?.parse()?,
            "--seconds" => seconds = value()?.parse()?,
            "--level" => level = value()?.parse()?,
            "--process" => process = Some(value()?.parse::<u32>()?),
            _ => address = Some(word),
        }
    }
    let address = address.ok_or("name the server's address, such as 127.0.0.1:8019")?;
    let start = Instant::now();
    let plan = Plan { address, level, until: start + Duration::from_secs(seconds) };
    let players: Vec<_> =
        (0..games).map(|seed| tokio::spawn(keep_playing(plan.clone(), seed))).collect();
    if let Some(process) = process {
        tokio::spawn(watch_memory(process, start, seconds));
    }
    let mut all = Times::default();
    for player in players {
        let times = player.await??;
        all.turns.extend(times.turns);
        all.games += times.games;
    }
    report(all, start.elapsed());
    Ok(())
}

fn report(mut all: Times, time: Duration) {
    all.turns.sort_by(f32::total_cmp);
    let at = |share: f64| {
        let index = (share * all.turns.len() as f64) as usize;
        1e3 * all.turns.get(index.min(all.turns.len() - 1)).copied().unwrap_or_default()
    };
    println!(
        "{} games finished, {} turns in {:.0} s: {:.0} turns/s; answers in ms: median {:.1}, 90 % {:.1}, 99 % {:.1}, \
         99.9 % {:.1}, longest {:.1}",
        all.games,
        all.turns.len(),
        time.as_secs_f64(),
        all.turns.len() as f64 / time.as_secs_f64(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0),
    );
}

/// Reports the resident memory twenty times.
async fn watch_memory(process: u32, start: Instant, seconds: u64) {
    loop {
        tokio::time::sleep(Duration::from_secs_f64(seconds as f64 / 20.0)).await;
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        println!("{:4.0} s: {}", start.elapsed().as_secs_f64(), line.unwrap_or("gone").trim());
    }
}

/// Plays one game after the other.
async fn keep_playing(plan: Plan, seed: usize) -> Outcome<Times> {
    let mut stream = BufReader::new(TcpStream::connect(&plan.address).await?);
    stream.get_ref().set_nodelay(true)?;
    let mut times = Times::default();
    let mut choice = seed + 1;
    while Instant::now() < plan.until {
        let (rules, size) = GAMES[(seed + times.games) % GAMES.len()];
        let program = json!({"kind": "program", "level": plan.level});
        let wanted = json!({"rules": rules, "size": size, "players": {"B": {"kind": "person"}, "W": program}});
        let started = ask(&mut stream, "/api/games", "", &wanted).await?;
        let token = started["tokens"]["B"].as_str().unwrap_or_default();
        let path =
            format!("/api/games/{}/moves", started["game"]["id"].as_str().unwrap_or_default());
        let mut game = started["game"].clone();
        while game["result"].is_null() && Instant::now() < plan.until {
            let legal = game["state"]["legal"].as_array().ok_or("no legal moves")?;
            choice = choice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let played = &legal[(choice >> 33) % legal.len()];
            let start = Instant::now();
            game = ask(&mut stream, &path, token, &json!({"move": played, "wait": true})).await?;
            times.turns.push(start.elapsed().as_secs_f32());
            if !game["trouble"].is_null() {
                return Err(format!("the program did not answer: {}", game["trouble"]).into());
            }
        }
        times.games += usize::from(!game["result"].is_null());
    }
    Ok(times)
}

/// One request on a connection that stays open.
async fn ask(
    stream: &mut BufReader<TcpStream>,
    path: &str,
    token: &str,
    body: &Value,
) -> Outcome<Value> {
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.get_mut().write_all(request.as_bytes()).await?;
    let (mut length, mut status) = (0, String::new());
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err("the server closed a connection".into());
        }
        if line == "\r\n" {
            break;
        }
        if status.is_empty() {
            status.clone_from(&line);
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
    }
    let mut text = vec![0; length];
    stream.read_exact(&mut text).await?;
    if !status.starts_with("HTTP/1.1 2") {
        return Err(format!("{path}: {status}{}", String::from_utf8_lossy(&text)).into());
    }
    Ok(serde_json::from_slice(&text)?)
}
