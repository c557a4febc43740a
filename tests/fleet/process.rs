//! Processes that end with the test.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Something that ends its process with the test.
pub struct Process(Child);

impl Process {
    /// Starts `hotstone` with additions to its environment.
    pub fn start(arguments: &[String], variables: &[(String, String)]) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hotstone"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).stdout(Stdio::null());
        Process::spawn(command.envs(variables.iter().cloned())).unwrap()
    }

    /// Starts any program.
    pub fn spawn(command: &mut Command) -> io::Result<Process> {
        command.spawn().map(Process)
    }

    /// Starts a server; `None` if it does not answer at `address` before it ends.
    pub fn serve(command: &mut Command, address: SocketAddr) -> Option<Process> {
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = Process::spawn(command).ok()?;
        while process.is_running() {
            if TcpStream::connect(address).is_ok() {
                return Some(process);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        None
    }

    pub fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// SIGKILL.
    pub fn kill(&mut self) {
        assert!(self.is_running(), "it ended on its own");
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    #[cfg(unix)]
    pub fn signal(&self, signal: &str) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    pub fn code(mut self) -> Option<i32> {
        self.0.wait().unwrap().code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An address of this machine at which nobody listens.
pub fn free_address() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}

/// What the program prints, run to its end.
pub fn hotstone(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hotstone"));
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}
