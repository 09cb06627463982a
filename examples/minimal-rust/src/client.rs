//! Sends pings and checks the one rule: an answer is greater than all before it.
mod sim;

use std::io::{Error, ErrorKind, Result};
use std::time::Duration;

const PINGS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(20);
const PATIENCE_NS: u64 = 1_000_000_000;

/// The answer to one ping. A server without power is silent.
fn ping(server: &sim::Socket) -> Result<u64> {
    server.write(b"ping\n")?;
    if !server.wait_readable(PATIENCE_NS)? {
        return Err(Error::from(ErrorKind::TimedOut));
    }
    let mut answer = [0; 24];
    let count = server.read(&mut answer)?;
    let text = String::from_utf8_lossy(&answer[..count]);
    text.trim().parse().map_err(|_| Error::from(ErrorKind::UnexpectedEof))
}

fn main() {
    let mut greatest = 0;
    let mut answered = 0;
    let mut server = None;
    while answered < PINGS {
        std::thread::sleep(PAUSE);
        if server.is_none() {
            server = sim::Socket::dial("server", 7000).ok();
        }
        let answer = match &server {
            Some(socket) => ping(socket),
            None => continue,
        };
        match answer {
            Ok(count) => {
                sim_assert!(count > greatest, "the count went back from {greatest} to {count}");
                greatest = count;
                answered += 1;
            }
            Err(_) => server = None,
        }
    }
    println!("{PINGS} pings, the last is number {greatest}");
}
