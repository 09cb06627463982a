//! Counts pings. The answer to a ping is the number of pings so far, which a restart must not lose:
//! the count is kept in a file. Without the argument -sync it answers before the file is on the
//! disk.
mod sim;

use std::fs::{File, OpenOptions};
use std::io::{Read, Result, Seek, SeekFrom, Write};

fn load(file: &mut File) -> Result<u64> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text.trim().parse().unwrap_or(0))
}

fn store(file: &mut File, count: u64, sync: bool) -> Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(format!("{count:020}\n").as_bytes())?;
    if sync {
        file.sync_all()?;
    }
    Ok(())
}

/// Answers the pings of one client until it goes away.
fn serve(client: &sim::Socket, file: &mut File, count: &mut u64, sync: bool) -> Result<()> {
    let mut line = [0; 16];
    while client.read(&mut line)? > 0 {
        *count += 1;
        store(file, *count, sync).expect("the count can be stored");
        client.write(format!("{count}\n").as_bytes())?;
    }
    Ok(())
}

fn main() -> Result<()> {
    let sync = std::env::args().any(|argument| argument == "-sync");
    let mut file = OpenOptions::new().read(true).write(true).create(true).open("/count")?;
    let mut count = load(&mut file)?;
    sim_sometimes!(count > 0, "the server comes back with a count");
    let listener = sim::Socket::listen(7000)?;
    sim::ready();
    loop {
        let client = listener.accept()?;
        // A client that went away is no reason to stop.
        serve(&client, &mut file, &mut count, sync).unwrap_or(());
    }
}
