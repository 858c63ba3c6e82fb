//! Waiting for the disk on threads that are there already: to start one takes longer than much of
//! what is to be waited for.

use std::io;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// How many threads wait for work: as many as one write of a note has for them.
const IDLE: usize = 3;

type Work = Box<dyn FnOnce() + Send>;

static IDLE_THREADS: Mutex<Vec<mpsc::Sender<Work>>> = Mutex::new(Vec::new());

/// Work that continues beside this thread.
#[derive(Debug)]
pub(super) struct Beside(mpsc::Receiver<io::Result<()>>);

impl Beside {
    /// Begins the work. Where no thread can be had for it, it is done at once, here.
    pub(super) fn begin(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> Beside {
        let (sender, receiver) = mpsc::sync_channel(1);
        let work: Work = Box::new(move || {
            sender.send(work()).ok();
        });
        if let Err(work) = hand_over(work) {
            work();
        }
        Beside(receiver)
    }

    /// Waits for the end of the work.
    pub(super) fn end(self) -> io::Result<()> {
        self.0.recv().unwrap_or_else(|mpsc::RecvError| Err(io::Error::other("the sync failed")))
    }
}

fn hand_over(work: Work) -> Result<(), Work> {
    let idle = IDLE_THREADS.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let work = match idle {
        Some(thread) => match thread.send(work) {
            Ok(()) => return Ok(()),
            Err(mpsc::SendError(work)) => work,
        },
        None => work,
    };
    let (sender, receiver) = mpsc::channel::<Work>();
    let again = sender.clone();
    let thread = thread::Builder::new().name("disk".to_owned()).spawn(move || {
        while let Ok(work) = receiver.recv() {
            work();
            let mut idle = IDLE_THREADS.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() >= IDLE {
                return;
            }
            idle.push(again.clone());
        }
    });
    match thread {
        Ok(_) => sender.send(work).map_err(|mpsc::SendError(work)| work),
        Err(_) => Err(work),
    }
}
