//! A server on this machine that behaves like S3.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

use crate::process::{Process, free_address};

/// The variable that names the program.
const VARIABLE: &str = "MOTO_SERVER";

pub struct Moto {
    pub address: SocketAddr,
    _process: Process,
}

impl Moto {
    /// Starts it, with an empty bucket.
    pub fn start(bucket: &str) -> Moto {
        let free = free_address();
        let programs: Vec<Vec<String>> = match std::env::var(VARIABLE) {
            Ok(program) => vec![vec![program]],
            Err(_) => ["moto_server", "python3 -m moto.server"]
                .iter()
                .map(|words| words.split(' ').map(str::to_owned).collect())
                .collect(),
        };
        let process = programs.iter().find_map(|words| serve(words, free));
        let moto = Moto {
            address: free,
            _process: process.unwrap_or_else(|| {
                panic!(
                    "no moto, which stands in for S3: `pip install 'moto[server]'`, and put moto_server on the PATH \
                     or name it in {VARIABLE}"
                )
            }),
        };
        moto.request("PUT", bucket);
        moto
    }

    fn request(&self, method: &str, path: &str) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let host = self.address;
        write!(
            stream,
            "{method} /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.split(' ').nth(1) == Some("200"), "{answer}");
    }
}

fn serve(words: &[String], address: SocketAddr) -> Option<Process> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(["-H", &address.ip().to_string()]);
    command.args(["-p", &address.port().to_string()]);
    Process::serve(&mut command, address)
}
