use std::io::{BufRead, BufReader, Cursor};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use super::*;
use crate::log::Log;
use crate::python::Python;

const IMPATIENT: Patience = Patience { tries: 2, pause: Duration::ZERO };

fn content() -> Vec<u8> {
    (0..100_000_u32).flat_map(|index| index.to_le_bytes()).collect()
}

/// A server in memory: `limit` bytes at most per connection, with or without ranges.
fn serve(content: &[u8], offset: u64, limit: usize, ranges: bool) -> Response {
    let total = content.len() as u64;
    let start = if ranges { offset as usize } else { 0 };
    let status = match (ranges && offset > 0, offset >= total) {
        (true, true) => 416,
        (true, false) => 206,
        (false, _) => 200,
    };
    let body = content.iter().skip(start).take(limit).copied().collect::<Vec<_>>();
    Response { status, total: Some(total), body: Box::new(Cursor::new(body)) }
}

#[test]
fn a_dropped_connection_is_resumed_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let (part, content) = (folder.path().join("part"), content());
    let mut offsets = Vec::new();
    fetch("test", &part, IMPATIENT, &mut |offset| {
        offsets.push(offset);
        Ok(serve(&content, offset, 150_000, true))
    })
    .unwrap();
    assert_eq!(fs::read(&part).unwrap(), content);
    assert_eq!(offsets, [0, 150_000, 300_000]);
}

#[test]
fn a_server_without_ranges_starts_again_from_zero() {
    let folder = tempfile::tempdir().unwrap();
    let (part, content) = (folder.path().join("part"), content());
    fs::write(&part, b"the first bytes").unwrap();
    let mut open = |offset| Ok(serve(&content, offset, usize::MAX, false));
    fetch("test", &part, IMPATIENT, &mut open).unwrap();
    assert_eq!(fs::read(&part).unwrap(), content);
}

#[test]
fn a_complete_part_is_not_asked_for_again_and_a_longer_one_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let (part, content) = (folder.path().join("part"), content());
    for kept in [content.clone(), [content.as_slice(), b"more"].concat()] {
        fs::write(&part, kept).unwrap();
        let mut open = |offset| Ok(serve(&content, offset, usize::MAX, true));
        fetch("test", &part, IMPATIENT, &mut open).unwrap();
        assert_eq!(fs::read(&part).unwrap(), content);
    }
}

#[test]
fn a_dead_or_refusing_server_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("part");
    let mut tries = 0;
    let dead = fetch("test", &part, IMPATIENT, &mut |_| {
        tries += 1;
        bail!("no route")
    });
    assert_eq!((dead.unwrap_err().to_string().as_str(), tries), ("no route", 2));
    let refused = fetch("test", &part, PATIENT, &mut |_| {
        Ok(Response { status: 404, total: None, body: Box::new(io::empty()) })
    });
    assert_eq!(refused.unwrap_err().to_string(), "the server answered 404");
}

#[test]
fn the_progress_line_says_size_rate_and_time_left() {
    let two_seconds = Duration::from_secs(2);
    let text = line("torch", 50_000_000, 10_000_000, Some(90_000_000), two_seconds);
    assert_eq!(text, "torch: 50 of 90 MB, 20.0 MB/s, 2 s left");
    assert_eq!(line("torch", 0, 0, None, Duration::ZERO), "torch: 0 MB, 0.0 MB/s");
}

#[test]
fn sha256_of_a_file_is_hexadecimal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("abc");
    fs::write(&path, "abc").unwrap();
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(sha256(&path).unwrap(), expected);
}

/// The whole way through pip's session, over a loopback server that hangs up half-way.
#[test]
fn pip_resumes_from_a_server_that_hangs_up() {
    let Some(python) = Python::with_pip() else {
        eprintln!("skipped: no Python with pip here");
        return;
    };
    let content = content();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/wheel", listener.local_addr().unwrap());
    let (ranges, asked) = mpsc::channel();
    let served = content.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = ranges.send(answer_half(stream.unwrap(), &served));
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("part");
    let log = Log::lock(folder.path().join("log")).unwrap();
    fetch("test", &part, IMPATIENT, &mut |offset| python.get(&url, offset, &log)).unwrap();
    assert_eq!(fs::read(&part).unwrap(), content);
    assert_eq!(asked.try_iter().take(2).collect::<Vec<_>>(), [0, 200_000]);
}

/// Answers one request with at most the first half of the content; returns the offset asked for.
fn answer_half(mut stream: TcpStream, content: &[u8]) -> usize {
    let mut offset = 0;
    for line in BufReader::new(stream.try_clone().unwrap()).lines() {
        let line = line.unwrap().to_ascii_lowercase();
        if let Some(range) = line.strip_prefix("range: bytes=") {
            offset = range.trim_end_matches('-').parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let (total, left) = (content.len(), content.len() - offset);
    let status = if offset > 0 { "206 Partial Content" } else { "200 OK" };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {left}\r\n\
         Content-Range: bytes {offset}-{}/{total}\r\nConnection: close\r\n\r\n",
        total - 1
    );
    stream.write_all(head.as_bytes()).unwrap();
    let end = (offset + total / 2).min(total);
    stream.write_all(&content[offset..end]).unwrap();
    offset
}
