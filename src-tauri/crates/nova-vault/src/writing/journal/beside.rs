//! Runs disk waits on a thread pool: starting a thread takes longer than many of these waits.

use std::io;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// Maximum number of idle threads: as many as one write of a note uses.
const IDLE: usize = 3;

type Work = Box<dyn FnOnce() + Send>;

static IDLE_THREADS: Mutex<Vec<mpsc::Sender<Work>>> = Mutex::new(Vec::new());

/// Work running on another thread.
#[derive(Debug)]
pub(super) struct Beside(mpsc::Receiver<io::Result<()>>);

impl Beside {
    /// Starts the work. If no thread is available, it runs here at once.
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

    /// Waits for the work to end.
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
