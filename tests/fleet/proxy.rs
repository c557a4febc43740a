//! A bad line to a store: some requests never get there, and some replies never come back.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use fleet::game_file;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Of all requests, those whose connection is reset, and those that are obeyed without a reply.
const RESET: f64 = 0.05;
const UNANSWERED: f64 = 0.10;

/// How much of the line works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// Most requests get through.
    Bad,
    /// All connections are reset.
    Dead,
    /// Nothing is ever answered.
    Silent,
}

/// The line.
pub struct Proxy {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    store: SocketAddr,
    seed: u64,
    line: Mutex<Line>,
    requests: AtomicU64,
    /// Files of games that the store has, with their numbers of games.
    arrived: Mutex<BTreeMap<String, u64>>,
}

impl Proxy {
    /// A line to a store. It fails for the n-th request in the same way each time.
    pub fn start(store: SocketAddr, seed: u64) -> Proxy {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (line, requests, arrived) =
            (Mutex::new(Line::Bad), AtomicU64::new(0), Mutex::default());
        let shared = Arc::new(Shared { store, seed, line, requests, arrived });
        let served = shared.clone();
        // It ends with the test's process.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let served = served.clone();
                // What fails here fails for the client, too.
                std::thread::spawn(move || served.serve(client).ok());
            }
        });
        Proxy { address, shared }
    }

    pub fn set(&self, line: Line) {
        *self.shared.line.lock().unwrap() = line;
    }

    /// How many requests have been made.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// Files of games that have got through, with their numbers of games.
    pub fn arrived(&self) -> BTreeMap<String, u64> {
        self.shared.arrived.lock().unwrap().clone()
    }
}

impl Shared {
    /// One request, and the end of the connection.
    fn serve(&self, client: TcpStream) -> io::Result<()> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let fate: f64 = StdRng::seed_from_u64(self.seed.wrapping_add(number)).random();
        let line = *self.line.lock().unwrap();
        if line == Line::Dead || (line == Line::Bad && fate < RESET) {
            // A connection that is closed before everything was read is reset.
            client.peek(&mut [0])?;
            return Ok(());
        }
        let mut request = Request::read(&client)?;
        if line == Line::Silent {
            // Until the client gives up.
            (&client).read_to_end(&mut Vec::new())?;
            return Ok(());
        }
        let reply = request.send(self.store)?;
        self.note(&request, &reply);
        if fate < RESET + UNANSWERED {
            return Ok(());
        }
        (&client).write_all(&reply)
    }

    /// Notes files of games that the store has accepted.
    fn note(&self, request: &Request, reply: &[u8]) {
        let is_done = reply.split(|&byte| byte == b' ').nth(1) == Some(b"200");
        if let Some(name) = request.file().filter(|_| is_done) {
            let games = u64::from(game_file::header(&request.body).unwrap().games);
            let before = self.arrived.lock().unwrap().insert(name, games);
            assert!(before.is_none_or(|before| before == games));
        }
    }
}

/// A request without its last headers' end, and its body.
struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    fn read(client: &TcpStream) -> io::Result<Request> {
        let mut reader = BufReader::new(client);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let begin = head.len();
            if reader.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = head[begin..].trim_end().to_ascii_lowercase();
            if line.is_empty() {
                head.truncate(begin);
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(|_| io::ErrorKind::InvalidData)?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        Ok(Request { head, body })
    }

    /// The store's reply, on a connection that ends with it.
    fn send(&mut self, store: SocketAddr) -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(store)?;
        write!(stream, "{}Connection: close\r\n\r\n", self.head)?;
        stream.write_all(&self.body)?;
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply)?;
        Ok(reply)
    }

    /// The file of games that it writes, as in `a/0-3`.
    fn file(&self) -> Option<String> {
        let (_, path) = self.head.strip_prefix("PUT ")?.split(' ').next()?.split_once("/inbox/")?;
        Some(path.strip_suffix(".games")?.to_owned())
    }
}
