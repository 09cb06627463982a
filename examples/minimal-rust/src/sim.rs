//! What Rust's library for wasm32-wasi leaves out: sockets, and a word with the simulator.
//!
//! The socket calls are those of WasmEdge's extension to WASI, which seedfall offers to every
//! program; the functions of module "seedfall" are those that its SDKs use.
#![allow(dead_code)] // the client needs other calls than the server

use std::io::{Error, Result};

#[repr(C)]
struct Address {
    bytes: *const u8,
    size: u32, // 4: IPv4
}

#[repr(C)]
struct Slice {
    bytes: *const u8,
    size: u32,
}

#[repr(C)]
struct Name {
    family: u32,
    size: u32,
    bytes: *mut u8,
}

#[repr(C)]
struct Found {
    flags: u16,
    family: u8,
    kind: u8,
    protocol: u32,
    address_size: u32,
    address: *mut Name,
    name: *mut u8,
    name_size: u32,
    next: *mut Found,
}

/// A subscription of poll_oneoff: to a clock (0) or to data at a descriptor (1).
#[repr(C)]
struct Subscription {
    user_data: u64,
    tag: u8,
    padding: [u8; 7], // what follows is a union that holds 64-bit integers
    clock_or_descriptor: u32,
    timeout: u64,
    precision: u64,
    flags: u16,
}

#[repr(C)]
struct Event {
    user_data: u64,
    error: u16,
    kind: u8,
    bytes: u64,
    flags: u16,
}

#[link(wasm_import_module = "wasi_snapshot_preview1")]
extern "C" {
    fn sock_open(family: u32, kind: u32, fd: *mut u32) -> u32;
    fn sock_bind(fd: u32, address: *const Address, port: u32) -> u32;
    fn sock_listen(fd: u32, backlog: u32) -> u32;
    fn sock_accept(fd: u32, flags: u32, accepted: *mut u32) -> u32;
    fn sock_connect(fd: u32, address: *const Address, port: u32) -> u32;
    fn sock_getaddrinfo(
        node: *const u8,
        node_size: u32,
        service: *const u8,
        service_size: u32,
        hints: *const Found,
        result: *const *mut Found,
        results_max: u32,
        results: *mut u32,
    ) -> u32;
    fn fd_read(fd: u32, into: *const Slice, slices: u32, count: *mut u32) -> u32;
    fn fd_write(fd: u32, from: *const Slice, slices: u32, count: *mut u32) -> u32;
    fn fd_close(fd: u32) -> u32;
    fn poll_oneoff(on: *const Subscription, events: *mut Event, number: u32, ready: *mut u32)
        -> u32;
}

#[link(wasm_import_module = "seedfall")]
extern "C" {
    fn setup_complete() -> u32;
    fn call(number: u32, input: *const u32, size: u32, output: *mut u8, output_size: u32) -> u32;
}

const INET4: u32 = 1;
const STREAM: u32 = 2;
const CALL_PROPERTY: u32 = 1;

fn check(errno: u32) -> Result<()> {
    match errno {
        0 => Ok(()),
        _ => Err(Error::from_raw_os_error(errno as i32)),
    }
}

/// A TCP socket; closed when it is dropped.
pub struct Socket(u32);

impl Socket {
    fn open() -> Result<Socket> {
        let mut fd = 0;
        check(unsafe { sock_open(INET4, STREAM, &mut fd) })?;
        Ok(Socket(fd))
    }

    pub fn listen(port: u16) -> Result<Socket> {
        let socket = Socket::open()?;
        let any = [0u8; 4];
        let address = Address { bytes: any.as_ptr(), size: 4 };
        check(unsafe { sock_bind(socket.0, &address, port.into()) })?;
        check(unsafe { sock_listen(socket.0, 16) })?;
        Ok(socket)
    }

    pub fn accept(&self) -> Result<Socket> {
        let mut fd = 0;
        check(unsafe { sock_accept(self.0, 0, &mut fd) })?;
        Ok(Socket(fd))
    }

    /// Connects to a node by its name; waits until the connection stands or has failed.
    pub fn dial(node: &str, port: u16) -> Result<Socket> {
        let mut found = [0u8; 6]; // a port, and then the address
        look_up(node, &mut found)?;
        let socket = Socket::open()?;
        let address = Address { bytes: found[2..].as_ptr(), size: 4 };
        check(unsafe { sock_connect(socket.0, &address, port.into()) })?;
        Ok(socket)
    }

    pub fn read(&self, into: &mut [u8]) -> Result<usize> {
        let slice = Slice { bytes: into.as_mut_ptr(), size: into.len() as u32 };
        let mut count = 0;
        check(unsafe { fd_read(self.0, &slice, 1, &mut count) })?;
        Ok(count as usize)
    }

    pub fn write(&self, from: &[u8]) -> Result<usize> {
        let slice = Slice { bytes: from.as_ptr(), size: from.len() as u32 };
        let mut count = 0;
        check(unsafe { fd_write(self.0, &slice, 1, &mut count) })?;
        Ok(count as usize)
    }

    /// Waits until there is something to read; false when the time is over.
    pub fn wait_readable(&self, nanoseconds: u64) -> Result<bool> {
        let on = |tag, fd, timeout| Subscription {
            user_data: u64::from(tag),
            tag,
            padding: [0; 7],
            clock_or_descriptor: fd,
            timeout,
            precision: 0,
            flags: 0,
        };
        let subscriptions = [on(1, self.0, 0), on(0, 1, nanoseconds)]; // clock 1: monotonic
        let event = || Event { user_data: 0, error: 0, kind: 0, bytes: 0, flags: 0 };
        let mut events = [event(), event()];
        let mut ready = 0;
        check(unsafe {
            poll_oneoff(subscriptions.as_ptr(), events.as_mut_ptr(), 2, &mut ready)
        })?;
        Ok(events[..ready as usize].iter().any(|event| event.user_data == 1))
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        unsafe { fd_close(self.0) };
    }
}

fn look_up(node: &str, bytes: &mut [u8; 6]) -> Result<()> {
    let mut name = Name { family: 0, size: bytes.len() as u32, bytes: bytes.as_mut_ptr() };
    let empty = |address| Found {
        flags: 0,
        family: 0,
        kind: 0,
        protocol: 0,
        address_size: 0,
        address,
        name: std::ptr::null_mut(),
        name_size: 0,
        next: std::ptr::null_mut(),
    };
    let hints = empty(std::ptr::null_mut());
    let mut found = empty(&mut name);
    let result: *mut Found = &mut found;
    let mut count = 0;
    check(unsafe {
        sock_getaddrinfo(
            node.as_ptr(),
            node.len() as u32,
            "0".as_ptr(),
            1,
            &hints,
            &result,
            1,
            &mut count,
        )
    })
}

/// Says that the system is ready to be tested: no fault happens before.
pub fn ready() {
    unsafe { setup_complete() };
}

#[derive(Clone, Copy)]
pub enum Kind {
    Assert = 1,
    Sometimes = 3,
}

/// States a property at a place such as "src/client.rs:12"; see the macros.
pub fn property(kind: Kind, holds: bool, message: &str, place: &str) {
    let input = [
        kind as u32,
        holds as u32,
        message.as_ptr() as u32,
        message.len() as u32,
        place.as_ptr() as u32,
        place.len() as u32,
    ];
    unsafe { call(CALL_PROPERTY, input.as_ptr(), 24, std::ptr::null_mut(), 0) };
}

/// States that a condition is true whenever this line is executed; a false one ends the run.
#[macro_export]
macro_rules! sim_assert {
    ($condition:expr, $($message:tt)+) => {
        sim::property(sim::Kind::Assert, $condition, &format!($($message)+),
                      concat!(file!(), ":", line!()))
    };
}

/// States that a condition is true at least once in a sweep of many seeds.
#[macro_export]
macro_rules! sim_sometimes {
    ($condition:expr, $message:literal) => {
        sim::property(sim::Kind::Sometimes, $condition, $message, concat!(file!(), ":", line!()))
    };
}
