//! `fsync` for every file that Nova writes; tests count the calls.

use std::io;

pub(crate) trait Fsync {
    /// Syncs content and metadata.
    fn fsync(&self) -> io::Result<()>;

    /// Syncs content and length.
    fn fdatasync(&self) -> io::Result<()>;
}

macro_rules! fsync {
    ($($file:ty),*) => {$(
        impl Fsync for $file {
            fn fsync(&self) -> io::Result<()> {
                self.sync_all()?;
                #[cfg(all(test, target_os = "linux"))]
                crate::tests::synced::file(self);
                Ok(())
            }

            fn fdatasync(&self) -> io::Result<()> {
                self.sync_data()?;
                #[cfg(all(test, target_os = "linux"))]
                crate::tests::synced::file(self);
                Ok(())
            }
        }
    )*};
}

fsync!(std::fs::File, cap_std::fs::File);
